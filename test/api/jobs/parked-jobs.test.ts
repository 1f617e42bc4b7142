import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, startService, waitFor } from '../../local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

const PROBE_SECONDS = 2;

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService({
    env: { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_ACCOUNT_PROBE_SECONDS: String(PROBE_SECONDS) },
  });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});
afterEach(async () => await setVendor({ logged_in: true, usage_limit_until: null }));

/** Sets the state that rejects every request to the practice vendor. */
async function setVendor(state: { logged_in?: boolean; usage_limit_until?: string | null }): Promise<void> {
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const answer = await fetch(new URL('/practice/state', practice_url), {
    method: 'PUT',
    headers: { authorization: `Bearer ${practice_key}` },
    body: JSON.stringify(state),
  });
  expect(answer.status).toBe(200);
}

async function untilParked(id: string, code: string) {
  return await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}`);
    return json.status === 'QUEUED' && json.state_reason.code === code ? json : undefined;
  });
}

describe('without a linked account', () => {
  it('jobs wait and use no retry, one probes for all, and all start once an account is linked', async () => {
    await setVendor({ logged_in: false });
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
    await setVendor({ logged_in: true });
    const ended = await Promise.all(ids.map((id) => untilEnded(service, id)));
    expect(ended.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  });

  it('a job that waits can be cancelled, and does not come back', async () => {
    await setVendor({ logged_in: false });
    const id = await createJob(service, { prompt: 'drill: tool echo hi' });
    await untilParked(id, 'account_required');
    expect((await service.api('POST', `/jobs/${id}/cancel`)).json).toMatchObject({ status: 'CANCELLED' });
    await setVendor({ logged_in: true });
    const other = await createJob(service, { prompt: 'true', profile: 'shell' });
    await untilEnded(service, other);
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({ status: 'CANCELLED', attempt: 1 });
  });

  it('jobs that need no account run', async () => {
    await setVendor({ logged_in: false });
    const id = await createJob(service, { prompt: 'true', profile: 'shell' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('at the usage limit', () => {
  it('a job waits until the time that the vendor gives, and then runs', async () => {
    // codex says the time to the minute, and Promptq waits until that minute is over: it is one second before.
    const until = new Date(Math.ceil((Date.now() + 30_000) / 60_000) * 60_000 - 1_000);
    await setVendor({ usage_limit_until: until.toISOString() });
    const id = await createJob(service, { prompt: 'drill: tool echo hi' });
    const parked = await untilParked(id, 'usage_limit');
    const next = Date.parse(parked.state_reason.next_check_at);
    expect(next).toBeGreaterThanOrEqual(until.getTime());
    expect(next).toBeLessThanOrEqual(until.getTime() + 60_000);
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 2 });
    expect((await service.api('GET', `/jobs/${id}`)).json.started_at >= parked.state_reason.next_check_at).toBe(true);
  });
});
