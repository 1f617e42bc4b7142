import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { findWorker } from '../../marked-processes.ts';
import { claudeCli, INSTALL_LIMIT } from '../../worker-container/agents/claude-cli.ts';
import { damageSession } from '../damage-session.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { answeredCalls, callVendor } from '../practice-calls.ts';

let home: string;
let claude: string;
let service: ServiceUnderTest;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  claude = await claudeCli();
  await start();
}, INSTALL_LIMIT);
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  await rm(home, { recursive: true, force: true });
});
afterEach(async () => void (await vendor('PUT', '/practice/state', { logged_in: true, usage_limit_until: null })));

async function start(): Promise<void> {
  const env = { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_ACCOUNT_PROBE_SECONDS: '1', PROMPTQ_CLAUDE_BIN: claude };
  service = await startService({ home, env });
}

const vendor = (method: string, path: string, body?: unknown) => callVendor(home, method, path, body);

/** For each request that the model answered in full, how many results of tools it brought. */
async function paid(prompt: string): Promise<number[]> {
  return (await answeredCalls(home, prompt)).map(({ results }) => results);
}

async function importProfile(profile: Record<string, unknown>): Promise<void> {
  expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
}

async function jobOf(id: string) {
  return (await service.api('GET', `/jobs/${id}`)).json;
}

async function usageOf(id: string, attempt: number) {
  return (await service.api('GET', `/jobs/${id}/result?attempt=${attempt}`)).json.usage;
}

async function sessionOf(id: string, attempt: number): Promise<string> {
  return (await service.api('GET', `/jobs/${id}/session?attempt=${attempt}`)).text;
}

/** A tool that waits until it is let go. */
function gate(name: string): {
  readonly drill: string;
  readonly isUp: () => boolean;
  readonly open: () => Promise<void>;
} {
  const [up, go] = [join(home, `${name}-up`), join(home, `${name}-go`)];
  return {
    drill: `drill: tool touch ${up}; while [ ! -e ${go} ]; do sleep 0.1; done`,
    isUp: () => existsSync(up),
    open: async () => await writeFile(go, ''),
  };
}

test('codex: a job that met the usage limit makes no model call again', { timeout: 240_000 }, async () => {
  const prompt = 'for codex\ndrill: limit-after 5 1';
  const id = await createJob(service, { prompt });
  await waitFor(async () => (await jobOf(id)).state_reason.code === 'usage_limit');
  expect(await jobOf(id)).toMatchObject({ status: 'QUEUED', attempt: 1, resume_from: 1 });
  // codex reports the end of the limit to the minute.
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4, 5]);
  const job = await jobOf(id);
  expect(job).toMatchObject({ resume_from: null, warnings: [], retries: 0 });
  expect(job.attempts.map((attempt: { resumed_from: number }) => attempt.resumed_from)).toEqual([1, null]);
  const [first, second] = [await sessionOf(id, 1), await sessionOf(id, 2)];
  expect(second.startsWith(first)).toBe(true);
  expect(second.length).toBeGreaterThan(first.length);
  // One call of six, although codex reports the sum of all.
  const [before, after] = [await usageOf(id, 1), await usageOf(id, 2)];
  expect(after.input_tokens).toBeLessThan(before.input_tokens / 2);
  expect(after.output_tokens).toBeGreaterThan(0);
  expect(job.total_usage.input_tokens).toBe(before.input_tokens + after.input_tokens);
});

test('claude: a job that met the usage limit makes no model call again', { timeout: 120_000 }, async () => {
  const { practice_url, practice_key } = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8'));
  await writeFile(join(home, 'secrets.env'), `PRACTICE_KEY=${practice_key}\n`, { mode: 0o600 });
  const env = {
    ANTHROPIC_BASE_URL: new URL(practice_url).origin,
    CLAUDE_CODE_OAUTH_TOKEN: { secret: 'PRACTICE_KEY' },
    CLAUDE_CODE_MAX_RETRIES: '1',
  };
  await importProfile({ name: 'practised', agent: 'claude', env });
  const prompt = 'for claude\ndrill: limit-after 3 3';
  const id = await createJob(service, { prompt, profile: 'practised' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3]);
  const [before, after] = [await usageOf(id, 1), await usageOf(id, 2)];
  expect(after.output_tokens).toBeLessThan(before.output_tokens);
  expect(after.cost_usd).toBeLessThan(before.cost_usd);
});

test('a job continues its session after its worker was killed, with the attachments of all attempts', {
  timeout: 240_000,
}, async () => {
  const [first, second, third] = [gate('files-1'), gate('files-2'), gate('files-3')];
  const to = '"$PROMPTQ_ATTACHMENTS"';
  const prompt = [
    `drill: tool mkdir ${to}/in; printf a >${to}/in/a.txt; printf b >${to}/b.txt`,
    first.drill,
    second.drill,
    `drill: tool cat ${to}/in/a.txt; rm ${to}/in/a.txt; printf c >${to}/c.txt`,
    third.drill,
    `drill: tool printf d >>${to}/c.txt`,
  ].join('\n');
  const id = await createJob(service, { prompt });
  const pathsOf = async (attempt: number) => {
    const { items } = (await service.api('GET', `/jobs/${id}/attachments?attempt=${attempt}`)).json;
    return items.map(({ path }: { path: string }) => path);
  };
  await waitFor(() => first.isUp());
  await vendor('PUT', '/practice/state', { logged_in: false });
  await first.open();
  await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
  expect(await pathsOf(1)).toEqual(['b.txt', 'in/a.txt']);
  // An attempt that waited for the account in vain has nothing to continue.
  const tried = await waitFor(async () => {
    const job = await jobOf(id);
    return job.attempt > 2 && job.status === 'QUEUED' ? job : undefined;
  });
  expect(tried).toMatchObject({ resume_from: 1 });
  await vendor('PUT', '/practice/state', { logged_in: true });
  // A worker that is killed stores no attachments: its successor gets those of the attempt before.
  await waitFor(() => second.isUp());
  const lost = (await jobOf(id)).attempt;
  const mentions = async (attempt: number) => (await sessionOf(id, attempt)).split('files-2-up').length;
  await waitFor(async () => (await mentions(lost)) > (await mentions(1)));
  process.kill(await waitFor(() => findWorker(home)), 'SIGKILL');
  await second.open();
  await waitFor(() => third.isUp());
  await vendor('PUT', '/practice/state', { logged_in: false });
  await third.open();
  await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
  await vendor('PUT', '/practice/state', { logged_in: true });
  const { attempt, status } = await untilEnded(service, id);
  expect(status).toBe('SUCCEEDED');
  expect(await pathsOf(lost)).toEqual([]);
  expect(await pathsOf(attempt)).toEqual(['b.txt', 'c.txt']);
  const texts = ['b.txt', 'c.txt'].map(
    async (name) => (await service.api('GET', `/jobs/${id}/attachments/${name}`)).text,
  );
  expect(await Promise.all(texts)).toEqual(['b', 'cd']);
  const job = await jobOf(id);
  expect(job.warnings).toEqual([]);
  const after = job.attempts.find((tried: { attempt: number }) => tried.attempt === lost + 1);
  expect(after).toMatchObject({ resumed_from: lost });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  const [ofLost, ofNext] = [await usageOf(id, lost), await usageOf(id, lost + 1)];
  expect(ofLost.output_tokens).toBeGreaterThan(0);
  // One call, then two: neither has those before it again.
  for (const ofOneCall of [ofLost.input_tokens, ofNext.input_tokens / 2]) {
    expect(ofOneCall).toBeGreaterThan(1_000);
    expect(ofOneCall).toBeLessThan(1_900);
  }
});

test('a retry continues the session of a cancelled job, or starts from the prompt', { timeout: 240_000 }, async () => {
  const held = gate('cancelled');
  const prompt = `drill: calls 2\n${held.drill}\ndrill: calls 1`;
  const id = await createJob(service, { prompt });
  await waitFor(() => held.isUp());
  expect((await service.api('POST', `/jobs/${id}/cancel`)).status).toBe(200);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'CANCELLED' });
  const wrong = await service.api('POST', `/jobs/${id}/retry`, { from: 'end' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('from')]);
  expect((await service.api('POST', `/jobs/${id}/retry`, { from: 'session' })).status).toBe(200);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4]);
  expect((await jobOf(id)).attempts[0]).toMatchObject({ resumed_from: 1 });
  const again = await service.api('POST', `/jobs/${id}/retry`, { from: 'session' });
  expect([again.status, again.json.error]).toEqual([400, expect.stringContaining('continue the job')]);
  await held.open();
  expect((await service.api('POST', `/jobs/${id}/retry`)).status).toBe(200);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 3 });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
});

test('a profile can have every attempt start from the prompt', { timeout: 120_000 }, async () => {
  await importProfile({ name: 'forgetful', agent: 'codex', vendor: 'practice', resume: 'never' });
  const held = gate('forgetful');
  const prompt = `drill: calls 1\n${held.drill}`;
  const id = await createJob(service, { prompt, profile: 'forgetful' });
  await waitFor(() => held.isUp());
  await vendor('PUT', '/practice/state', { logged_in: false });
  await held.open();
  await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
  await vendor('PUT', '/practice/state', { logged_in: true });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await paid(prompt)).toEqual([0, 1, 0, 1, 2]);
});

test('a session that the CLI refuses is a fresh start with a warning', { timeout: 120_000 }, async () => {
  const held = gate('refused');
  const prompt = `drill: calls 1\n${held.drill}`;
  const id = await createJob(service, { prompt });
  await waitFor(() => held.isUp());
  await vendor('PUT', '/practice/state', { logged_in: false });
  await held.open();
  await waitFor(async () => (await jobOf(id)).state_reason.code === 'account_required');
  await damageSession(home, (await jobOf(id)).session_id);
  await vendor('PUT', '/practice/state', { logged_in: true });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const job = await jobOf(id);
  expect(job.warnings).toEqual([expect.stringMatching(/^session_refused: /)]);
  expect(job.attempts[0]).toMatchObject({ status: 'SUCCEEDED', resumed_from: null });
  expect(await paid(prompt)).toEqual([0, 1, 0, 1, 2]);
});
