import { expect, it } from 'vitest';
import { awaitWorkers, checkWorkers } from '../../../lib/doctor/service/check-workers.ts';
import type { Schemas } from '../../../lib/doctor/service/service.ts';
import { withService } from './stand-in-service.ts';

const NOW = '2026-11-20T12:00:00.000Z';

const environment = (hosts: readonly object[]) =>
  ({ time: NOW, hosts, jobs: { QUEUED: 0 }, service: { version: '1' } }) as unknown as Schemas['Environment'];
const WITHOUT = environment([]);

/** What is said of the workers of a service that answers so, one answer after the other, the last again and again. */
async function saidOf(answers: readonly object[], { isLocal = true, startsWithin = 60_000 } = {}) {
  const left = [...answers];
  let asked = 0;
  const answer = () => {
    asked += 1;
    const body = left.length > 1 ? left.shift() : left[0];
    return body === undefined ? { status: 503, body: { error: { code: 'unavailable' } } } : { status: 200, body };
  };
  const findings = await withService({ answer, isLocal }, async (service) =>
    checkWorkers(service, await awaitWorkers(service, WITHOUT, startsWithin)),
  );
  return { said: findings.map(({ check, state, message }) => `${state} ${check}: ${message}`), asked };
}

it.each([
  ['does not register', [WITHOUT]],
  ['is asked for in vain', []],
])('a worker that %s is finally reported', async (_, answers) => {
  const { said, asked } = await saidOf(answers, { startsWithin: 300 });
  expect(said).toEqual(['fault workers: none is registered: no job can run']);
  expect(asked).toBeGreaterThan(0);
});

const host = (name: string, secondsAgo: number, more: object = {}) => ({
  ...{ worker_id: name, version: '1', slots: 2, running_job_ids: ['job_1'] },
  seen_at: new Date(Date.parse(NOW) - secondsAgo * 1_000).toISOString(),
  ...more,
});
const found = (hosts: readonly object[], { isLocal = true, queued = 0 } = {}) =>
  checkWorkers(
    { isLocal } as Parameters<typeof checkWorkers>[0],
    {
      ...environment(hosts),
      jobs: { QUEUED: queued },
    } as unknown as Schemas['Environment'],
  ).map(({ check, state, message }) => `${state} ${check}: ${message}`);

it('a worker that has not reported for 25 seconds is a warning, and all of them a fault', () => {
  const silent = 'warning heartbeat: worker b last reported 25 s ago; it should report every 15 s';
  expect(found([host('a', 25), host('b', 25.001)])).toEqual(['ok workers: 2 registered, 2 of 4 slots in use', silent]);
  expect(found([host('b', 25.001)])).toEqual(['fault workers: no registered worker has reported lately', silent]);
});

it('a worker of another version than the service is a warning', () => {
  expect(found([host('a', 0), host('b', 0, { version: '2' })])).toEqual([
    'ok workers: 2 registered, 2 of 4 slots in use',
    'warning worker version: worker b is of version 2, the service of 1',
  ]);
});

it('in a deployment no worker is a warning while jobs are queued, and the log to read is elsewhere', () => {
  expect(found([], { isLocal: false, queued: 2 })).toEqual([
    'warning workers: none is registered, and 2 jobs are queued',
  ]);
  expect(found([], { queued: 2 })).toEqual(['fault workers: none is registered: no job can run']);
  const adviceOf = (isLocal: boolean) =>
    checkWorkers(
      { isLocal } as Parameters<typeof checkWorkers>[0],
      {
        ...environment([]),
        jobs: { QUEUED: 1 },
      } as unknown as Schemas['Environment'],
    )[0]?.advice;
  expect([adviceOf(true), adviceOf(false)]).toEqual([
    expect.stringContaining('logs/worker.log'),
    expect.stringContaining('the log of the worker stack'),
  ]);
});
