import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  const profile = { name: 'single', agent: 'shell', concurrency: 1 };
  const { status, text } = await service.api('POST', '/config/import', { profiles: [profile] });
  expect(status, text).toBe(200);
});

async function read(id: string) {
  return (await service.api('GET', `/jobs/${id}`)).json;
}

/** A job that runs until its gate is opened. */
async function running(name: string, fields: Record<string, unknown>) {
  const gate = join(service.home, `queue-place-${name}`);
  const id = await createJob(service, { prompt: `while [ ! -e ${gate} ]; do sleep 0.05; done`, ...fields });
  await waitFor(async () => (await read(id)).status === 'RUNNING');
  return { id, open: () => writeFile(gate, '') };
}

async function untilWaitingFor(code: string, id: string) {
  return await waitFor(async () => {
    const job = await read(id);
    return job.state_reason.code === code ? job : undefined;
  });
}

it('a job that waits for its profile shows the job that runs and the number of jobs before it', async () => {
  const first = await running('profile-gate', { profile: 'single' });
  expect((await read(first.id)).queue).toBeNull();
  const second = await createJob(service, { prompt: 'true', profile: 'single' });
  const next = await untilWaitingFor('profile_busy', second);
  expect(next.queue).toEqual({ ahead: 0, ahead_complete: true, held_by: [first.id] });
  const last = await createJob(service, { prompt: 'true', profile: 'single' });
  expect((await untilWaitingFor('profile_busy', last)).queue).toMatchObject({ ahead: 1, held_by: [first.id] });
  const urgent = await createJob(service, { prompt: 'true', profile: 'single', priority: 5 });
  expect((await untilWaitingFor('profile_busy', urgent)).queue).toMatchObject({ ahead: 0 });
  expect((await read(last)).queue).toMatchObject({ ahead: 2 });
  // A response may be sent back in an edit although the position has changed meanwhile.
  const sent = { ...(await read(last)), queue: { ahead: 400, ahead_complete: false, held_by: [] }, retries: 1 };
  const { status, text } = await service.api('PUT', `/jobs/${last}`, sent);
  expect(status, text).toBe(200);
  await first.open();
  for (const id of [second, last, urgent]) await untilEnded(service, id);
  expect((await read(last)).queue).toBeNull();
});

it('a job that waits for its folder shows the job that works there and accepts a PUT of itself', async () => {
  const project = { project: 'one-at-a-time' };
  await createJob(service, { prompt: 'x', draft: true, ...project });
  await service.api('PATCH', '/projects/one-at-a-time', { exclusive_cwd: true });
  const first = await running('folder-gate', { profile: 'shell', cwd: 'work', ...project });
  const second = await createJob(service, { prompt: 'true', profile: 'shell', cwd: 'work', ...project });
  const waiting = await untilWaitingFor('folder_busy', second);
  expect(waiting.queue).toEqual({ ahead: 0, ahead_complete: true, held_by: [first.id] });
  const { status, text } = await service.api('PUT', `/jobs/${second}`, { ...waiting, priority: 1 });
  expect(status, text).toBe(200);
  await first.open();
  await untilEnded(service, second);
});

/** As many as a worker of the shared service has slots. */
it('a job that waits for a worker shows the number of jobs of its project before it', async () => {
  const gates = [await running('one', { profile: 'shell' }), await running('two', { profile: 'shell' })];
  const line: string[] = [];
  for (let n = 0; n < 3; n += 1) line.push(await createJob(service, { prompt: 'true', profile: 'shell' }));
  const other = await createJob(service, { prompt: 'true', profile: 'shell', project: 'elsewhere' });
  const places = await Promise.all([...line, other].map(async (id) => (await read(id)).queue.ahead));
  expect(places).toEqual([0, 1, 2, 0]);
  for (const gate of gates) await gate.open();
  for (const id of [...line, other]) await untilEnded(service, id);
});

it('a job that waits for the vendor has no position, as all such jobs start together', async () => {
  const id = await createJob(service, { prompt: 'x', profile: 'codex' });
  const waiting = await untilWaitingFor('account_required', id);
  expect(waiting.queue).toEqual({ ahead: null, ahead_complete: false, held_by: [] });
  // Its next check is planned again without a change of the job.
  const state_reason = { ...waiting.state_reason, next_check_at: '2026-11-20T10:00:00.000Z' };
  const { status, text } = await service.api('PUT', `/jobs/${id}`, { ...waiting, state_reason, priority: 1 });
  expect(status, text).toBe(200);
});
