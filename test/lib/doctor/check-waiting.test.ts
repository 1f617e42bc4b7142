import { expect, it } from 'vitest';
import { checkWaiting } from '../../../lib/doctor/service/check-waiting.ts';
import type { Schemas } from '../../../lib/doctor/service/service.ts';
import { withService } from './stand-in-service.ts';

const NOW = '2026-11-20T12:00:00.000Z';

/** The findings about a service with these queued jobs. */
async function complaintsOf(jobs: readonly object[], hosts: readonly object[] = []): Promise<string[]> {
  const environment = {
    time: NOW,
    hosts,
    jobs: { QUEUED: jobs.length, RUNNING: 0 },
  } as unknown as Schemas['Environment'];
  const answer = () => ({ status: 200, body: { items: jobs } });
  const findings = await withService({ answer, isLocal: false }, (service) => checkWaiting(service, environment));
  return findings
    .filter(({ state }) => state !== 'ok')
    .map(({ check, state, message }) => `${state} ${check}: ${message}`);
}

const job = (code: string, minutes: number, message = 'Waiting.') => ({
  state_reason: { code, message },
  queued_at: new Date(Date.parse(NOW) - minutes * 60_000).toISOString(),
});

it('a job that waits long is a warning while workers run, and a fault without workers or after half an hour', async () => {
  expect(await complaintsOf([job('waiting_for_worker', 1)])).toEqual([]);
  const late = [job('waiting_for_worker', 10)];
  const message = 'waiting jobs: 1 queued, 0 running; the oldest that is ready has waited 10 min';
  expect(await complaintsOf(late, [{}])).toEqual([`warning ${message}`]);
  expect(await complaintsOf(late)).toEqual([`fault ${message}`]);
  expect(await complaintsOf([job('waiting_for_worker', 40)], [{}])).toEqual([
    expect.stringMatching(/^fault .* 40 min$/),
  ]);
});

it('each kind of waiting that needs a person or another job is named, with advice', async () => {
  const codes = ['account_required', 'usage_limit', 'folder_busy', 'thread_stopped', 'usage_limit', 'retry_later'];
  expect(await complaintsOf(codes.map((code) => job(code, 90)))).toEqual([
    ...['account_required', 'usage_limit', 'folder_busy', 'thread_stopped'].map(
      (code) => `warning parked jobs: ${code === 'usage_limit' ? '2 jobs' : '1 job'} of the 6 oldest: ${code}`,
    ),
    'warning later version: 1 job of the 6 oldest: retry_later',
  ]);
  expect(await complaintsOf(['b_code', 'a_code', 'b_code'].map((code) => job(code, 1)))).toEqual([
    'warning later version: 3 jobs of the 3 oldest: a_code, b_code',
  ]);
});
