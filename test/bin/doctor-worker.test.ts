import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../local-service.ts';
import { findWorker } from '../marked-processes.ts';
import { complaints, diagnose } from './doctor-command.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

it('a worker that hangs is reported before its 45 s are over, and found again when it resumes', async () => {
  const env = { PROMPTQ_HOME: service.home };
  await waitFor(async () => (await service.api('GET', '/environment')).json.hosts.length === 1);
  const worker = await waitFor(() => findWorker(service.home));
  process.kill(worker, 'SIGSTOP');
  try {
    await waitFor(async () => {
      const { json } = await service.api('GET', '/environment');
      const [host] = json.hosts;
      // None: this machine was paused until its 45 s were over.
      return host === undefined || Date.parse(json.time) - Date.parse(host.seen_at) > 26_000;
    });
    const report = await diagnose([], env);
    expect(report.code).toBe(2);
    if ((await service.api('GET', '/environment')).json.hosts.length > 0)
      expect(complaints(report)).toEqual([
        'fault workers: no registered worker has reported lately',
        expect.stringMatching(/^warning heartbeat: worker \S+ last reported \d+ s ago/),
      ]);
  } finally {
    process.kill(worker, 'SIGCONT');
  }
  expect(await waitFor(async () => (await diagnose([], env)).code === 0)).toBe(true);
});
