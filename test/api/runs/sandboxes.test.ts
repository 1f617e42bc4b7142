import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A local run whose workers have the sandboxes of the cloud's: none. A profile was stored before that was so. */
let service: ServiceUnderTest;
beforeAll(async () => {
  const before = await startService();
  const boxed = { name: 'boxed', agent: 'shell', sandbox: 'workspace-write' };
  expect((await before.api('POST', '/config/import', { profiles: [boxed] })).status).toBe(200);
  await before.stop({ keepHome: true });
  service = await startService({ home: before.home, env: { PROMPTQ_SANDBOXES: 'none' } });
});
afterAll(async () => {
  await service.stop();
  await rm(service.home, { recursive: true });
});

test('an import rejects each profile whose sandbox the workers cannot provide, with the reason', async () => {
  const profiles = [
    { name: 'plain', agent: 'codex' },
    { name: 'review', agent: 'codex', sandbox: 'read-only' },
    { name: 'write', agent: 'claude', sandbox: 'workspace-write' },
  ];
  for (const query of ['', '?dry_run=1']) {
    const { status, json } = await service.api('POST', `/config/import${query}`, { profiles });
    expect(status).toBe(400);
    expect(json.error).toMatch(
      /^body\.profiles\[1\]\.sandbox: received "read-only"; expected none: .*user namespaces.* \(and 1 more: details\.faults\)$/,
    );
    expect(json.details.faults).toHaveLength(2);
  }
  const own = { profiles: [{ name: 'plain', agent: 'codex', sandbox: 'none' }] };
  expect((await service.api('POST', '/config/import', own)).status).toBe(200);
});

test('a job whose stored profile has such a sandbox fails at its start with the reason', async () => {
  const id = await createJob(service, { prompt: 'echo hello', profile: 'boxed' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED' });
  const { json } = await service.api('GET', `/jobs/${id}`);
  expect(json.state_reason.code).toBe('start_failed');
  expect(JSON.stringify(json)).toMatch(/sandbox.*workspace-write.*user namespaces/);
});
