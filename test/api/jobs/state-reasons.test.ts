import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { findMarkedAs } from '../../local-run/marked-processes.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '1', PROMPTQ_OUTPUT_BYTES: '100000' } });
});
afterAll(async () => {
  await service.stop();
});

it('a job that waits behind another shows that reason, and can be cancelled', async () => {
  const first = await createJob(service, { prompt: 'sleep 300', profile: 'shell' });
  await waitFor(() => findMarkedAs(`${first}/1`).length > 0);
  const second = await createJob(service, { prompt: 'true', profile: 'shell' });
  const { json } = await service.api('GET', `/jobs/${second}/status`);
  expect(json).toMatchObject({ status: 'QUEUED', state_reason: { code: 'waiting_for_worker', retryable: true } });
  expect((await service.api('DELETE', `/jobs/${second}`)).json.status).toBe('CANCELLED');
  await service.api('POST', `/jobs/${first}/kill`);
  await untilEnded(service, first);
  expect((await service.api('GET', `/jobs/${second}/status`)).json).toMatchObject({ status: 'CANCELLED', attempt: 0 });
});

it('an attempt that cannot be started fails with the reason', async () => {
  const file = join(service.home, 'workspaces', 'local_project', 'a-file');
  const blocked = await createJob(service, { prompt: 'true', profile: 'shell' });
  await untilEnded(service, blocked);
  writeFileSync(file, '');
  const id = await createJob(service, { prompt: 'true', profile: 'shell', cwd: 'a-file/below' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'start_failed' } });
  expect((await service.api('GET', `/jobs/${id}`)).json.error).toContain('a-file');
});

it('an attempt over the output limit is ended, and its output up to the limit is kept', async () => {
  const id = await createJob(service, { prompt: 'yes | head -c 300000; sleep 300', profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'output_limit' } });
  const { json } = await service.api('GET', `/jobs/${id}/result?full=1`);
  expect(json).toMatchObject({ stdout_bytes: 100_000, stdout: 'y\n'.repeat(50_000) });
  expect(findMarkedAs(`${id}/1`)).toEqual([]);
});

it('the error of a job names the signal that ended its agent, and for SIGKILL a lack of memory', async () => {
  const errorOf = async (prompt: string) => {
    const id = await createJob(service, { prompt, profile: 'shell' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'exited' } });
    return (await service.api('GET', `/jobs/${id}`)).json.error;
  };
  expect(await errorOf('kill -TERM $$')).toBe('Ended by SIGTERM.');
  expect(await errorOf('kill -KILL $$')).toBe(
    'Ended by SIGKILL. Promptq did not send it; the system does when memory is used up.',
  );
  expect(await errorOf("sh -c 'kill -KILL $$'; exit")).toBe(
    "Exit code 137, a shell's for SIGKILL. Promptq did not send it; the system does when memory is used up.",
  );
});
