import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

const SECRET = 'planted-session-secret-Ω-1';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
  await writeFile(join(service.home, 'secrets.env'), `PLANTED=${SECRET}\n`, { mode: 0o600 });
  const profile = { name: 'planted', agent: 'codex', vendor: 'practice', env: { NOTE: { secret: 'PLANTED' } } };
  expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

test("the session of a job's agent is stored without secrets", async () => {
  const prompt = 'drill: tool echo "$NOTE"; printf %s "$NOTE" | rev';
  const id = await createJob(service, { prompt, profile: 'planted' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const { status, headers, text } = await service.api('GET', `/jobs/${id}/session`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  expect(lines[0]).toMatchObject({ type: 'session_meta', payload: { id: result.session_id } });
  expect(text).toContain('drill: tool echo');
  expect(text).toContain('***');
  expect(text).not.toContain(SECRET);
  expect((await service.api('GET', `/jobs/${id}/session?attempt=2`)).status).toBe(400);
});

test('a job without a session has none', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell' });
  await untilEnded(service, id);
  expect((await service.api('GET', `/jobs/${id}/session`)).status).toBe(404);
});
