import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProfileStore } from '../../../lib/catalog/profiles.ts';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { findMarkedAs } from '../../local-run/marked-processes.ts';
import { claudeCli, INSTALL_LIMIT } from '../../worker-container/agents/claude-cli.ts';
import { type PracticeMessages, startPracticeMessages } from '../../worker-container/agents/practice-messages.ts';
import { createJob, untilEnded } from '../job-client.ts';

const SECRET = 'planted-session-secret-Ω-1';

let folder: string;
let vendor: PracticeMessages;
let service: OwnService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-claude-'));
  vendor = await startPracticeMessages();
  const binary = join(folder, 'claude');
  const lingering = '[ -z "$STAY_AFTER_RESULT" ] || exec sleep 300';
  await writeFile(binary, `#!/bin/sh\n'${await claudeCli()}' "$@" || exit\n${lingering}\n`, { mode: 0o755 });
  const account = { ANTHROPIC_API_KEY: vendor.apiKey, CLAUDE_CODE_OAUTH_TOKEN: '' };
  // In a home of their own claude's tools don't run what this machine's user runs at each start of a shell.
  service = await startService({ env: { PROMPTQ_CLAUDE_BIN: binary, HOME: folder, ...account } });
  const env = { ANTHROPIC_BASE_URL: vendor.baseUrl, CLAUDE_CODE_MAX_RETRIES: '1' };
  await withOperatorRegistry({ stack: undefined, home: service.home }, async (registry) => {
    const profiles = new ProfileStore(registry);
    const builtIn = await profiles.get('claude');
    expect(builtIn).toMatchObject({ agent: 'claude', vendor: 'own', sandbox: 'none' });
    await profiles.put({ name: 'claude', agent: 'claude', ...builtIn, env });
    await profiles.put({ name: 'claude-practice', agent: 'claude', vendor: 'practice' });
    await profiles.put({ name: 'claude-stays', agent: 'claude', env: { ...env, STAY_AFTER_RESULT: '1' } });
  });
  await writeFile(join(service.home, 'secrets.env'), `PLANTED=${SECRET}\n`, { mode: 0o600 });
  const profile = { vendor: 'practice', env: { NOTE: { secret: 'PLANTED', commands: true } } };
  const profiles = ['codex', 'claude'].map((agent) => ({ name: `planted-${agent}`, agent, ...profile }));
  expect((await service.api('POST', '/config/import', { profiles })).status).toBe(200);
}, INSTALL_LIMIT);

afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await vendor.close();
  await rm(folder, { recursive: true, force: true });
});

test('a job on profile claude is run by the real CLI, and its session, usage, cost and message are kept', async () => {
  const prompt = `drill: tool printf '%s-%s' made here > made.txt; cat made.txt; cat /proc/$PPID/environ | tr '\\0' '\\n'`;
  const id = await createJob(service, { prompt, profile: 'claude' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  const { json: result, text } = await service.api('GET', `/jobs/${id}/result`);
  expect(result).toMatchObject({
    exit_code: 0,
    final_message: expect.stringContaining('made-here'),
    usage: { input_tokens: 300, cached_input_tokens: 60, output_tokens: 18, cost_usd: expect.any(Number) },
  });
  const events = result.stdout
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line));
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'system', subtype: 'init', session_id: result.session_id }),
  );
  expect(text).toContain('ANTHROPIC_API_KEY=***');
  expect(text).not.toContain(vendor.apiKey);
});

test('a continued job continues the session and bills only its own usage', async () => {
  const ended = async (body: Record<string, unknown>) => {
    const id = await createJob(service, { profile: 'claude-practice', ...body });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    return { id, result: (await service.api('GET', `/jobs/${id}/result`)).json };
  };
  const first = await ended({ prompt: 'the first prompt\ndrill: spend 1000 1' });
  const second = await ended({ prompt: 'the second prompt\ndrill: recall', continue: first.id });
  for (const turn of ['first', 'second']) expect(second.result.final_message).toContain(`the ${turn} prompt`);
  const third = await ended({ prompt: 'the third prompt\ndrill: spend 1000 1', continue: second.id });
  expect(third.result.session_id).toBe(first.result.session_id);
  expect(third.result.usage.output_tokens).toBe(first.result.usage.output_tokens);
  expect((await service.api('GET', `/jobs/${third.id}`)).json).toMatchObject({ turn: 3, warnings: [] });
});

test('a failure of the vendor is the error of the job', async () => {
  const id = await createJob(service, { prompt: 'drill: fail 500', profile: 'claude' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'FAILED', state_reason: { code: 'agent_error' } });
  const { json: job } = await service.api('GET', `/jobs/${id}`);
  expect(job.error).toMatch(/^API Error: 500 The stand-in fails as asked/);
});

test('a job whose login is used up waits for an account and uses no retry', async () => {
  const id = await createJob(service, { prompt: 'drill: not-logged-in', profile: 'claude' });
  await expect
    .poll(async () => (await service.api('GET', `/jobs/${id}/status`)).json)
    .toMatchObject({ status: 'QUEUED', state_reason: { code: 'account_required' } });
  expect((await service.api('POST', `/jobs/${id}/cancel`)).status).toBe(200);
});

test('a claude process that stays after its result is ended, and the job succeeds', async () => {
  const id = await createJob(service, { prompt: 'hello', profile: 'claude-stays' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  expect(result).toMatchObject({ signal: 'SIGTERM', final_message: 'You said:\nhello' });
  expect(findMarkedAs(`${id}/1`)).toEqual([]);
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

test('the session of a job without one is not found', async () => {
  const id = await createJob(service, { prompt: 'true', profile: 'shell' });
  await untilEnded(service, id);
  expect((await service.api('GET', `/jobs/${id}/session`)).status).toBe(404);
});
