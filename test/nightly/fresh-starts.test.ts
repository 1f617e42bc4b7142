import { afterAll, beforeAll, expect, test } from 'vitest';
import { damageSession } from '../api/damage-session.ts';
import { gateIn } from '../api/gate.ts';
import { createJob, untilEnded } from '../api/job-client.ts';
import { answeredCalls, callVendor } from '../api/practice-calls.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** Jobs that start from their prompt again. On each commit `test/lib/jobs/lifecycle/resume.test.ts` decides that. */
let service: OwnService;
let home: string;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '2', PROMPTQ_ACCOUNT_PROBE_SECONDS: '1' } });
  home = service.home;
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

const vendor = (method: string, path: string, body?: unknown) => callVendor(home, method, path, body);
const paid = async (prompt: string) => (await answeredCalls(home, prompt)).map(({ results }) => results);
const jobOf = async (id: string) => (await service.api('GET', `/jobs/${id}`)).json;

async function importProfile(profile: Record<string, unknown>): Promise<void> {
  expect((await service.api('POST', '/config/import', { profiles: [profile] })).status).toBe(200);
}

const gate = (name: string) => gateIn(home, name);

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
