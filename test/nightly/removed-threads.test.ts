import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** Retention of a thread in a whole run. On each commit `test/lib/reconciler` tries it on the reconciler alone. */
let service: OwnService;
beforeAll(async () => {
  const env = { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_SWEEP_SECONDS: '1', PROMPTQ_RETENTION_DAYS: '0.00002' };
  service = await startService({ env });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const statusOf = async (id: string) => await service.api('GET', `/jobs/${id}/status`);
const isGone = async (id: string) => (await statusOf(id)).status === 404;
const stateOf = async (id: string) => {
  const { status, state_reason } = (await statusOf(id)).json;
  return `${status} ${state_reason?.code}`;
};

test('a thread is removed as a whole, counted from its last end', async () => {
  const [up, go] = ['up', 'go'].map((name) => join(service.home, name));
  const prompt = `touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`;
  const first = await createJob(service, { prompt, profile: 'shell' });
  await waitFor(() => existsSync(String(up)));
  const ids = [first];
  for (const next of ['exit 3', 'true', 'true']) ids.push(await createJob(service, { prompt: next, continue: first }));
  await writeFile(String(go), '');
  const states = async () => await Promise.all(ids.map(stateOf));
  const stopped = [...['SUCCEEDED exited', 'FAILED exited'], ...['QUEUED thread_stopped', 'QUEUED waiting_for_thread']];
  await waitFor(async () => (await states()).join() === stopped.join());
  const other = await createJob(service, { prompt: 'true', profile: 'shell' });
  await waitFor(() => isGone(other));
  expect(await states()).toEqual(stopped);
  expect((await service.api('POST', `/jobs/${ids[2]}/submit`)).status).toBe(200);
  for (const id of ids) await waitFor(() => isGone(id));
});
