import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService();
  const failing = await createJob(service, { prompt: 'exit 3', profile: 'shell', project: 'one', title: '=1+1' });
  const good = await createJob(service, { prompt: 'true', profile: 'shell', project: 'one', tags: ['a', 'b'] });
  await createJob(service, { prompt: 'true', profile: 'shell', project: 'two', draft: true });
  for (const id of [failing, good]) await untilEnded(service, id);
});
afterAll(async () => {
  await service.stop();
});

/** An export that has ended. */
async function exported(body: Record<string, unknown>) {
  const { status, json, text } = await service.api('POST', '/exports', body);
  if (status !== 202) throw new Error(`the export was refused: ${status} ${text}`);
  return await ended(json.id);
}

async function ended(id: string) {
  return await waitFor(async () => {
    const { json } = await service.api('GET', `/exports/${id}`);
    return json.status === 'done' || json.status === 'failed' ? json : undefined;
  });
}

async function file(url: string): Promise<string> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  // Text without its mark would not show whether it has one.
  return Buffer.from(await answer.arrayBuffer()).toString('utf8');
}

async function linesOf(url: string) {
  const text = await file(url);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

describe('an export', () => {
  it('of jobs has the rows of the list, oldest first', async () => {
    const made = await exported({ kind: 'jobs', format: 'jsonl' });
    const { json: list } = await service.api('GET', '/jobs?order=oldest');
    expect(made).toMatchObject({ status: 'done', error: null, raw_url: null, progress: { rows: list.items.length } });
    const rows = await linesOf(made.url);
    expect(rows.map(({ id }) => id)).toEqual(list.items.map(({ id }: { id: string }) => id));
  });

  it('for spreadsheets has a table, where no text is a formula, and the same rows beside it', async () => {
    const made = await exported({ kind: 'jobs', format: 'csv', filter: { project: 'one' } });
    const table = await file(made.url);
    expect(table.startsWith('\uFEFF"id","status","state_reason.code",')).toBe(true);
    expect(table.split('\r\n')).toHaveLength(1 + 2 + 1);
    expect(table).toContain(`"'=1+1"`);
    expect((await linesOf(made.raw_url)).map(({ title }) => title)).toEqual(['=1+1', null]);
  });

  it.each([
    ['attempts', { attempt: 1, status: 'FAILED', exit_code: 3 }],
    ['audit', { action: 'exports.create', status: 202 }],
  ])('of %s has its rows', async (kind, row) => {
    const { url } = await exported({ kind, format: 'jsonl' });
    expect(await linesOf(url)).toContainEqual(expect.objectContaining(row));
  });

  it('of nothing is whole: a header, or an empty file', async () => {
    const filter = { project: 'nobody' };
    const table = await exported({ kind: 'messages', format: 'csv', filter });
    expect((await file(table.url)).split('\r\n')).toEqual([expect.stringMatching(/^\uFEFF"job_id",/), '']);
    expect(await file((await exported({ kind: 'usage', format: 'jsonl', filter })).url)).toBe('');
  });

  it('is deleted with its files', async () => {
    const { id, url } = await exported({ kind: 'usage', format: 'jsonl' });
    expect((await service.api('DELETE', `/exports/${id}`)).json.id).toBe(id);
    expect((await fetch(url)).status).toBe(404);
    expect((await service.api('GET', `/exports/${id}`)).status).toBe(404);
    expect((await service.api('DELETE', `/exports/${id}`)).status).toBe(404);
  });
});

it('a bad request gets one answer with all its faults', async () => {
  const filter = { tag: 'x', created_after: 'yesterday', nonsense: 1 };
  const { status, json } = await service.api('POST', '/exports', { kind: 'audit', format: 'xml', filter });
  expect(status).toBe(400);
  for (const name of ['format', 'created_after', 'nonsense']) expect(json.details.faults.join()).toContain(name);
  const { json: other } = await service.api('POST', '/exports', { kind: 'audit', format: 'csv', filter: { tag: 'x' } });
  expect(other.error).toContain('filter.tag');
});
