import { onTestFinished } from 'vitest';
import type { JournalEntry } from '../../../../lib/local/practice-vendor/journal.ts';
import { type PracticeVendor, startPracticeVendor } from '../../../../lib/local/practice-vendor/practice-vendor.ts';

/** A practice vendor that closes after the test. */
export async function openVendor(): Promise<PracticeVendor> {
  const vendor = await startPracticeVendor();
  onTestFinished(() => vendor.close());
  return vendor;
}

/** The journal. */
export async function requests(vendor: PracticeVendor): Promise<readonly JournalEntry[]> {
  const headers = { authorization: `Bearer ${vendor.apiKey}` };
  const answer = await fetch(new URL('/practice/requests', vendor.baseUrl), { headers });
  return ((await answer.json()) as { items: JournalEntry[] }).items;
}

/** A request of the model, as codex makes it. */
export function post(
  vendor: PracticeVendor,
  input: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(new URL('/v1/responses', vendor.baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${vendor.apiKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'm', stream: true, input }),
    ...(signal !== undefined && { signal }),
  });
}

/** An item of a response. */
export interface Item {
  readonly type: string;
  readonly call_id?: string;
  readonly content?: readonly { readonly text: string }[];
}

/** The items of a streamed response. */
export async function items(answer: Response): Promise<readonly Item[]> {
  const blocks = (await answer.text()).trim().split('\n\n');
  const events = blocks.map((block) => JSON.parse(block.replace(/^event: .*\ndata: /, '')));
  return events.filter((event) => event.type === 'response.output_item.done').map((event) => event.item);
}

/** The text of a message of the model. */
export function message(item: Item | undefined): string | undefined {
  return item?.content?.[0]?.text;
}

/** A message of the user in a history. */
export function user(text: string): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** The result of a call in a history. */
export function callOutput(call: Item | undefined, output: string): object {
  return { type: 'function_call_output', call_id: call?.call_id, output };
}
