import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry } from '../../lib/local/practice-vendor/model-routes.ts';

/** Calls the practice vendor of the local run with this home. @returns the parsed answer */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function callVendor(home: string, method: string, path: string, body?: unknown): Promise<any> {
  const { practice_url, practice_key } = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8'));
  const answer = await fetch(new URL(path, practice_url), {
    method,
    headers: { authorization: `Bearer ${practice_key}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return await answer.json();
}

/** The requests of agents with this prompt that the practice vendor's model answered in full. */
export async function answeredCalls(home: string, prompt: string): Promise<JournalEntry[]> {
  const { items } = (await callVendor(home, 'GET', '/practice/requests')) as { items: JournalEntry[] };
  return items.filter((entry) => prompt.startsWith(entry.prompt) && entry.status === 200 && entry.complete);
}
