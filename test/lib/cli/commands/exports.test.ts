import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, refused, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const folder = temporaryFolder();

const summary = (status: string, rows: number) => ({
  ...{ id: 'e', kind: 'jobs', format: 'csv', filter: { project: 'web' }, status, created_by: 'me', error: null },
  ...{ created_at: '2026-11-29T01:00:00.000Z', finished_at: null, expires_at: '2026-12-06T01:00:00.000Z' },
  progress: { rows, bytes: 9, reached: null },
});
const view = (status: string, rows: number, url: string | null = null) => ({
  ...{ ...summary(status, rows), url, raw_url: null, url_expires_at: null },
});
const DONE = view('done', 2, 'http://127.0.0.1/store/file?signed=1');
const FILE = { 'GET /store/file?signed=1': () => new Response('id\r\na\r\n') };

it('exports with filters, waits, and saves the file', async () => {
  const bodies: unknown[] = [];
  const answers = {
    'POST /exports': async ({ request }: { request: Request }) => {
      bodies.push(await request.json());
      return Response.json(view('queued', 0), { status: 202 });
    },
    'GET /exports/e': [view('running', 1), DONE],
    ...FILE,
  };
  const output = join(folder, 'jobs.csv');
  const args = ['export', 'jobs', '--format', 'csv', '--project', 'web', '--created-after', '2026-11-01', '-o', output];
  const { code, stdout, stderr } = await promptq(args, answers);
  expect([code, stdout]).toEqual([0, `${output}\n`]);
  expect(stderr).toContain('export e\n2 rows\n');
  expect(bodies).toEqual([{ kind: 'jobs', format: 'csv', filter: { project: 'web', created_after: '2026-11-01' } }]);
  expect(readFileSync(output, 'utf8')).toBe('id\r\na\r\n');
});

it('lists, downloads and deletes exports', async () => {
  const list = await promptq(['exports'], { 'GET /exports': { items: [summary('running', 1)] } });
  expect(list.stdout).toMatch(/^ID +KIND .*\ne +jobs +csv +running +1 .*project=web\n$/s);
  const output = join(folder, 'again.csv');
  const got = await promptq(['exports', 'e', '-o', output], { 'GET /exports/e': DONE, ...FILE });
  expect([got.code, readFileSync(output, 'utf8')]).toEqual([0, 'id\r\na\r\n']);
  const deleted = await promptq(['exports', 'e', '--delete'], { 'DELETE /exports/e': summary('done', 2) });
  expect([deleted.code, deleted.stdout]).toEqual([0, 'export e is deleted\n']);
});

it.each([
  ['a failed one', view('failed', 1), 1, 'is failed: '],
  ['one that is not done', view('running', 1), 1, 'is running: 1 rows so far'],
  ['one without a link', view('done', 1), 5, 'has no link for this token'],
])('stores nothing of %s', async (_, found, code, error) => {
  const output = join(folder, 'none.csv');
  const answer = await promptq(['exports', 'e', '-o', output], { 'GET /exports/e': found });
  expect([answer.code, answer.stderr]).toEqual([code, expect.stringContaining(error)]);
  expect(readdirSync(folder)).not.toContain('none.csv');
});

it('says that a store refuses a link', async () => {
  const answers = { 'GET /exports/e': DONE, 'GET /store/file?signed=1': refused(403, 'expired') };
  const { code, stderr } = await promptq(['exports', 'e', '-o', join(folder, 'x')], answers);
  expect([code, stderr]).toEqual([6, expect.stringContaining('the store answers 403')]);
});
