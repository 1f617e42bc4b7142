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

it('jobs that wait for the account are not late; failing launches are reported', async () => {
  expect(await complaintsOf([job('account_required', 90), job('account_required', 80)])).toEqual([
    'warning parked jobs: 2 jobs of the 2 oldest: account_required',
  ]);
  const failed = 'No worker could be started: CannotPullContainerError.';
  expect(await complaintsOf([job('waiting_for_worker', 1, failed)])).toEqual([`fault launches: ${failed}`]);
});
