import { expect, it } from 'vitest';
import { awaitWorkers, checkWorkers } from '../../../lib/doctor/service/check-workers.ts';
import type { Schemas } from '../../../lib/doctor/service/service.ts';
import { withService } from './stand-in-service.ts';

const NOW = '2026-11-20T12:00:00.000Z';

const environment = (hosts: readonly object[]) =>
  ({ time: NOW, hosts, jobs: { QUEUED: 0 }, service: { version: '1' } }) as unknown as Schemas['Environment'];
const WITHOUT = environment([]);
const WITH = environment([{ worker_id: 'w', version: '1', seen_at: NOW, slots: 2, running_job_ids: [] }]);

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

it('the doctor waits for the worker of a local run that has just started', async () => {
  const { said, asked } = await saidOf([WITHOUT, WITHOUT, WITH]);
  expect(said).toEqual(['ok workers: 1 registered, 0 of 2 slots in use']);
  expect(asked).toBe(3);
});

it.each([
  ['does not register', [WITHOUT]],
  ['is asked for in vain', []],
])('a worker that %s is finally reported', async (_, answers) => {
  const { said, asked } = await saidOf(answers, { startsWithin: 300 });
  expect(said).toEqual(['fault workers: none is registered: no job can run']);
  expect(asked).toBeGreaterThan(0);
});

it('in a deployment workers start from zero: none is waited for', async () => {
  const { said, asked } = await saidOf([WITH], { isLocal: false });
  expect(said).toEqual(['ok workers: none, and no job waits: they start from zero']);
  expect(asked).toBe(0);
});
