import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A local run whose workers have no CLI but codex, and no sandbox, as in the cloud. What needs them was stored before. */
let service: OwnService;
let draft: string;
beforeAll(async () => {
  const before = await startService();
  const profiles = [
    { name: 'by-claude', agent: 'claude' },
    { name: 'by-shell', agent: 'shell' },
    { name: 'boxed', agent: 'shell', sandbox: 'workspace-write' },
  ];
  expect((await before.api('POST', '/config/import', { profiles })).status).toBe(200);
  draft = await createJob(before, { prompt: 'hello', profile: 'by-claude', save_draft: true });
  await before.stop({ keepHome: true });
  const env = { PROMPTQ_AGENTS: 'codex', PROMPTQ_SANDBOXES: 'none' };
  service = await startService({ home: before.home, env });
});
afterAll(async () => {
  await service.stop();
  await rm(service.home, { recursive: true });
});

test('a job for an agent that no worker has is rejected with the available agents', async () => {
  const { status, json } = await service.api('POST', '/jobs', { prompt: 'hello', profile: 'by-claude' });
  expect(status).toBe(400);
  expect(json.error).toBe(
    'body.profile: received "by-claude"; its agent claude is not installed on this deployment\'s workers, which have shell, codex (setting agents)',
  );
  const id = await createJob(service, { prompt: 'echo hello', profile: 'by-shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
});

test('a stored job for a missing agent fails at its start with the same reason', async () => {
  expect((await service.api('POST', `/jobs/${draft}/submit`)).status).toBeLessThan(300);
  expect(await untilEnded(service, draft)).toMatchObject({ status: 'FAILED' });
  const { json } = await service.api('GET', `/jobs/${draft}`);
  expect(json.state_reason.code).toBe('start_failed');
  expect(JSON.stringify(json)).toMatch(/agent claude is not installed/);
});

test('an import rejects each profile whose sandbox the workers cannot provide, with the reason', async () => {
  const profiles = [
    { name: 'plain', agent: 'codex' },
    { name: 'review', agent: 'codex', sandbox: 'read-only' },
    { name: 'write', agent: 'codex', sandbox: 'workspace-write' },
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
