import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { commandLine, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const folder = temporaryFolder();
const file = join(folder, 'job.zip');

/** An archive without files. */
const WHOLE = Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)]);
const zip = (bytes: Buffer) => () => new Response(bytes, { headers: { 'content-type': 'application/zip' } });
const retrying = { env: { PROMPTQ_RETRY_SECONDS: '5' } };

beforeEach(() => {
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
});

it('saves the archive, once it is whole', async () => {
  const answers = { 'GET /jobs/j/record': [zip(WHOLE.subarray(0, 12)), zip(WHOLE)] };
  const { code, stdout, stderr, requests } = await promptq(['record', 'j', '-o', file], answers, retrying);
  expect([code, stdout, requests.length]).toEqual([0, `${file}\n`, 2]);
  expect(stderr).toContain('the archive was cut off; trying again');
  expect(readFileSync(file)).toEqual(WHOLE);
});

it('keeps a file that exists, and stores nothing of an archive that stays cut', async () => {
  writeFileSync(file, 'mine');
  const answers = { 'GET /jobs/j/record': zip(WHOLE.subarray(0, 12)) };
  expect((await promptq(['record', 'j', '-o', file], answers)).stderr).toContain('exists; name another file');
  expect((await promptq(['record', 'j', '-o', join(folder, 'other.zip')], answers)).code).not.toBe(0);
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['mine', ['job.zip']]);
});

it('says what the output of a deletion may be repeated by, and asks for a confirmation', async () => {
  const deleted = { id: 'j', output_deleted_at: 'then', output_deleted_by: 'me', copies: ['k'] };
  const answers = { 'POST /jobs/j/delete-output': deleted };
  const refusal = await promptq(['delete-output', 'j'], answers);
  expect([refusal.code, refusal.requests]).toEqual([2, []]);
  const { code, stdout, stderr } = await promptq(['delete-output', 'j', '--yes'], answers);
  expect([code, stdout]).toEqual([0, 'the output of j is deleted\n']);
  expect(stderr).toContain('may repeat some: k');
});
