import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

const run = promisify(execFile);

let home: string;
let service: OwnService;
/** The stored jobs by title. */
let jobs: Readonly<Record<string, { readonly id: string }>>;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await run('tar', ['-xzf', join(import.meta.dirname, 'home-of-format-1.tgz'), '-C', home]);
  service = await startService({ home });
  const { items } = (await service.api('GET', '/jobs?limit=50')).json;
  jobs = Object.fromEntries(items.map((job: { title: string }) => [job.title, job]));
});

afterAll(async () => {
  await service?.stop();
  await rm(home, { recursive: true, force: true });
});

const idOf = (title: string) => jobs[title]?.id ?? `no job "${title}"`;
const get = async (path: string) => (await service.api('GET', path)).json;

it('a home of the first format keeps ended jobs with output, attachments and files', async () => {
  expect(await get(`/jobs/${idOf('ended')}`)).toMatchObject({ status: 'SUCCEEDED', project: 'kept', exit_code: 0 });
  expect(await get(`/jobs/${idOf('ended')}/result`)).toMatchObject({ stdout: 'kept\n', stdout_state: 'complete' });
  expect((await get(`/jobs/${idOf('ended')}/files`)).items).toMatchObject([{ path: 'file.txt' }]);
  expect(await get(`/jobs/${idOf('failed')}`)).toMatchObject({ status: 'FAILED', exit_code: 3 });
  const agent = idOf('agent');
  expect(await get(`/jobs/${agent}`)).toMatchObject({ status: 'SUCCEEDED', rule_ids: ['kept-rule'], turn: 1 });
  expect((await get(`/jobs/${agent}/attachments`)).items).toMatchObject([{ name: 'one.txt' }]);
  await waitFor(async () => (await get('/health')).status_counts.FAILED === 1);
});

it('its jobs continue: a draft, a waiting one, one whose worker was lost, and a thread', async () => {
  expect(await untilEnded(service, idOf('lost'))).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await untilEnded(service, idOf('waiting'))).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  await service.api('POST', `/jobs/${idOf('draft')}/submit`);
  expect(await untilEnded(service, idOf('draft'))).toMatchObject({ status: 'SUCCEEDED' });
  const next = await createJob(service, { continue: idOf('agent'), prompt: 'drill: recall', fresh_folder: true });
  expect(await untilEnded(service, next)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await get(`/jobs/${next}`)).toMatchObject({ turn: 2, project: 'kept' });
  expect((await get(`/jobs/${next}/result`)).final_message).toContain('remember the blue door');
});
