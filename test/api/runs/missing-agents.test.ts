import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A local run whose workers have no CLI but codex. A draft for claude was stored before that was so. */
let service: ServiceUnderTest;
let draft: string;
beforeAll(async () => {
  const before = await startService();
  const profiles = [
    { name: 'by-claude', agent: 'claude' },
    { name: 'by-shell', agent: 'shell' },
  ];
  expect((await before.api('POST', '/config/import', { profiles })).status).toBe(200);
  draft = await createJob(before, { prompt: 'hello', profile: 'by-claude', save_draft: true });
  await before.stop({ keepHome: true });
  service = await startService({ home: before.home, env: { PROMPTQ_AGENTS: 'codex' } });
});
afterAll(async () => {
  await service.stop();
  await rm(service.home, { recursive: true });
});

test('a job for an agent that no worker has is refused, with the agents that they have', async () => {
  const { status, json } = await service.api('POST', '/jobs', { prompt: 'hello', profile: 'by-claude' });
  expect(status).toBe(400);
  expect(json.error).toBe(
    'body.profile: received "by-claude"; its agent claude is not installed on this deployment\'s workers, which have shell, codex (setting agents)',
  );
  const id = await createJob(service, { prompt: 'echo hello', profile: 'by-shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
});

test('one that was stored before fails at its start, with the same reason', async () => {
  expect((await service.api('POST', `/jobs/${draft}/submit`)).status).toBeLessThan(300);
  expect(await untilEnded(service, draft)).toMatchObject({ status: 'FAILED' });
  const { json } = await service.api('GET', `/jobs/${draft}`);
  expect(json.state_reason.code).toBe('start_failed');
  expect(JSON.stringify(json)).toMatch(/agent claude is not installed/);
});
