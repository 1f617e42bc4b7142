import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { claudeCli, INSTALL_LIMIT } from '../../worker-container/agents/claude-cli.ts';
import { createJob, untilEnded } from '../job-client.ts';

const SECRET = 'planted-session-secret-Ω-1';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CLAUDE_BIN: await claudeCli() } });
  await writeFile(join(service.home, 'secrets.env'), `PLANTED=${SECRET}\n`, { mode: 0o600 });
  const profile = { vendor: 'practice', env: { NOTE: { secret: 'PLANTED', commands: true } } };
  const profiles = ['codex', 'claude'].map((agent) => ({ name: `planted-${agent}`, agent, ...profile }));
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
}, INSTALL_LIMIT);
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** Every byte that the object store of the run has on its disk. */
async function storedBytes(): Promise<{ readonly path: string; readonly bytes: Buffer }[]> {
  const store = join(service.home, 's3');
  const files = (await readdir(store, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(path) })));
}

test.each(['codex', 'claude'])('%s: the session is stored without secrets', async (agent) => {
  const prompt = 'drill: tool echo "$NOTE"; printf %s "$NOTE" | rev; printf %s "$NOTE" | base64';
  const id = await createJob(service, { prompt, profile: `planted-${agent}` });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const { status, headers, text } = await service.api('GET', `/jobs/${id}/session`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  expect(text).toContain(result.session_id);
  expect(text).toContain('drill: tool echo');
  expect(text).toContain('***');
  const spellings = ['utf8', 'base64', 'hex', 'utf16le'] as const;
  const secrets = spellings.map((spelling) =>
    spelling === 'utf16le' ? Buffer.from(SECRET, spelling) : Buffer.from(Buffer.from(SECRET).toString(spelling)),
  );
  const stored = await storedBytes();
  expect(stored.some(({ bytes }) => bytes.includes(result.session_id))).toBe(true);
  const found = stored.filter(({ bytes }) => secrets.some((secret) => bytes.includes(secret)));
  expect(found.map(({ path }) => path)).toEqual([]);
  expect((await service.api('GET', `/jobs/${id}/session?attempt=2`)).status).toBe(400);
});

test('a job without a session has none', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell' });
  await untilEnded(service, id);
  expect((await service.api('GET', `/jobs/${id}/session`)).status).toBe(404);
});
