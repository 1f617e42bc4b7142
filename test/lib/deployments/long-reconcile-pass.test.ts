import { expect, it } from 'vitest';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const IDS = ['a', 'b', 'c', 'd', 'e'].map((last) => `job_0000000000000000000000000${last}`);

/** Jobs with a call that waits for its next try. Each takes a pass 25 s. */
async function slow() {
  const deployment = quietDeployment();
  let passed = 0;
  const clock = { now: () => deployment.clock.now() + passed };
  for (const [place, id] of IDS.entries()) {
    const finished_at = `2026-11-20T10:00:0${place}.000Z`;
    const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at } as const;
    await deployment.store({ id, ...ended, bindings_pending: [1] });
    await deployment.deployments.replace(undefined, {
      ...{ job_id: id, attempt: 1, binding: 'local_project.hook', name: 'hook', mode: 'generic', state: 'pending' },
      ...{ attempts: 1, created_at: finished_at, due_at: '2199-01-01T00:00:00.000Z' },
    });
  }
  const visited: string[] = [];
  const jobs = Object.create(deployment.jobs, {
    find: {
      value: async (id: string) => {
        visited.push(id.slice(-1));
        passed += 25_000;
        return await deployment.jobs.find(id);
      },
    },
  }) as typeof deployment.jobs;
  const sent: string[] = [];
  const deliveries = Object.create(deployment.deliveries, {
    send: { value: async ({ job }: { job: string }) => void sent.push(job.slice(-1)) },
  }) as typeof deployment.deliveries;
  const pass = async (from?: string, { lost = false } = {}) =>
    await reconcileDeployments({ ...deployment, clock, jobs, deliveries }, { from, lost });
  return { pass, visited, sent };
}

it('a pass over many jobs ends in time, and the next one continues where it ended, so that each has its turn', async () => {
  const { pass, visited } = await slow();
  const cut = await pass();
  expect([cut, visited.splice(0)]).toEqual(['2026-11-20T10:00:03.000Z', ['a', 'b', 'c']]);
  const second = await pass(cut);
  expect([second, visited.splice(0)]).toEqual(['2026-11-20T10:00:01.000Z', ['d', 'e', 'a']]);
  expect([await pass(second), visited]).toEqual(['2026-11-20T10:00:04.000Z', ['b', 'c', 'd']]);
});

it('a pass after all messages were lost ends only when all jobs have been checked', async () => {
  const { pass, sent } = await slow();
  expect([await pass(undefined, { lost: true }), sent]).toEqual([undefined, ['a', 'b', 'c', 'd', 'e']]);
});

it('a pass from a place on checks each job once, to the end and from the beginning', async () => {
  const { pass, visited } = await slow();
  const from = '2026-11-20T10:00:03.000Z';
  expect([await pass(from, { lost: true }), visited]).toEqual([undefined, ['d', 'e', 'a', 'b', 'c']]);
});
