import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { findMarkedAs, findWorker } from '../../local-run/marked-processes.ts';
import { gateIn } from '../gate.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { answeredCalls, callVendor } from '../practice-calls.ts';

let service: OwnService;
let home: string;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_ACCOUNT_PROBE_SECONDS: '2' } });
  home = service.home;
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});
afterEach(async () => void (await vendor('PUT', '/practice/state', { logged_in: true, usage_limit_until: null })));

const vendor = (method: string, path: string, body?: unknown) => callVendor(home, method, path, body);

/** For each request that the model answered in full, how many results of tools it brought. */
async function paid(prompt: string): Promise<number[]> {
  return (await answeredCalls(home, prompt)).map(({ results }) => results);
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

const gate = (name: string) => gateIn(home, name);

test('codex: a job that met the usage limit makes no model call again', { timeout: 240_000 }, async () => {
  const prompt = 'for codex\ndrill: limit-after 5 5';
  const begun = Date.now();
  const id = await createJob(service, { prompt });
  const parked = await waitFor(async () => {
    const job = await jobOf(id);
    return job.state_reason.code === 'usage_limit' && job;
  });
  expect(parked).toMatchObject({ status: 'QUEUED', attempt: 1, resume_from: 1 });
  // codex reports the end of the limit to the minute.
  const { next_check_at } = parked.state_reason;
  expect(Date.parse(next_check_at)).toBeGreaterThan(begun + 5_000);
  expect(Date.parse(next_check_at)).toBeLessThan(Date.now() + 120_000);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4, 5]);
  const job = await jobOf(id);
  expect(job.started_at >= next_check_at).toBe(true);
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

test('a job continues its session after its worker was killed, with the attachments of all attempts', {
  timeout: 240_000,
}, async () => {
  const [first, second] = [gate('files-1'), gate('files-2')];
  const to = '"$PROMPTQ_ATTACHMENTS"';
  const prompt = [
    `drill: tool mkdir ${to}/in; printf a >${to}/in/a.txt; printf b >${to}/b.txt`,
    first.drill,
    second.drill,
    `drill: tool cat ${to}/in/a.txt; rm ${to}/in/a.txt; printf c >${to}/c.txt`,
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
  await waitFor(() => findMarkedAs(`${id}/${lost}`).length === 0);
  await second.open();
  const { attempt, status } = await untilEnded(service, id);
  expect(status).toBe('SUCCEEDED');
  expect(await pathsOf(lost)).toEqual([]);
  expect(await pathsOf(attempt)).toEqual(['b.txt', 'c.txt']);
  const texts = ['b.txt', 'c.txt'].map(
    async (name) => (await service.api('GET', `/jobs/${id}/attachments/${name}`)).text,
  );
  expect(await Promise.all(texts)).toEqual(['b', 'c']);
  const job = await jobOf(id);
  expect(job.warnings).toEqual([]);
  const after = job.attempts.find((tried: { attempt: number }) => tried.attempt === lost + 1);
  expect(after).toMatchObject({ resumed_from: lost });
  expect(await paid(prompt)).toEqual([0, 1, 2, 3, 4]);
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

async function untilParked(id: string, code: string) {
  return await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}`);
    return json.status === 'QUEUED' && json.state_reason.code === code ? json : undefined;
  });
}

describe('without a linked account', () => {
  test('jobs wait and use no retry, one probes for all, and all start once an account is linked', async () => {
    await vendor('PUT', '/practice/state', { logged_in: false });
    const ids = await Promise.all(
      ['a', 'b', 'c'].map((name) => createJob(service, { prompt: `drill: tool echo ${name}`, retries: 0 })),
    );
    const parked = await Promise.all(ids.map((id) => untilParked(id, 'account_required')));
    for (const job of parked) {
      expect(job).toMatchObject({ attempt: 1, state_reason: { code: 'account_required', retryable: true } });
      expect(Date.parse(job.state_reason.next_check_at)).toBeGreaterThan(Date.parse(job.started_at));
    }
    const tried = await waitFor(async () => {
      const jobs = await Promise.all(ids.map(async (id) => (await service.api('GET', `/jobs/${id}`)).json));
      return jobs.some(({ attempt }) => attempt > 1) ? jobs : undefined;
    });
    expect(tried.filter(({ attempt }) => attempt > 1)).toHaveLength(1);
    await vendor('PUT', '/practice/state', { logged_in: true });
    const ended = await Promise.all(ids.map((id) => untilEnded(service, id)));
    expect(ended.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  });

  test('a job that waits can be cancelled, and does not come back', async () => {
    await vendor('PUT', '/practice/state', { logged_in: false });
    const id = await createJob(service, { prompt: 'drill: tool echo hi' });
    await untilParked(id, 'account_required');
    expect((await service.api('POST', `/jobs/${id}/cancel`)).json).toMatchObject({ status: 'CANCELLED' });
    await vendor('PUT', '/practice/state', { logged_in: true });
    const other = await createJob(service, { prompt: 'true', profile: 'shell' });
    await untilEnded(service, other);
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ status: 'CANCELLED', attempt: 1 });
  });

  test('jobs that need no account run', async () => {
    await vendor('PUT', '/practice/state', { logged_in: false });
    const id = await createJob(service, { prompt: 'true', profile: 'shell' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
