import { describe, expect, it } from 'vitest';
import type { JobDeployment } from '../../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { needsBindings, runsBindings } from '../../../../lib/jobs/threads/running-bindings.ts';
import { aDeployment, anEnded, knownThreads } from './known-threads.ts';

const newest = (more: Partial<Job> = {}) => anEnded('job_1', { attempt: 2, bindings_pending: [2], ...more });
const second = (more: Partial<JobDeployment> = {}) => aDeployment({ attempt: 2, ...more });

describe('a command of a binding works in the folder of a job', () => {
  it.each<[runs: boolean, what: string, job: Job, deployments: JobDeployment[]]>([
    [true, 'it runs', newest(), [second()]],
    [true, 'one of several runs', newest(), [second({ state: 'failed' }), second({ mode: 'web_framework' })]],
    [false, 'it is pending', newest(), [second({ state: 'pending' })]],
    [false, 'it has ended', newest(), [second({ state: 'succeeded' })]],
    [false, 'a signed call is made', newest(), [second({ mode: 'generic' })]],
    [false, 'there is none', newest(), []],
  ])('%s, if %s', async (runs, _, job, deployments) => {
    expect(await runsBindings(knownThreads({ deployments }), job)).toBe(runs);
  });

  it('not if no deployment of the job is pending, and none is read', async () => {
    const known = knownThreads({ deployments: [second()] });
    expect(await runsBindings(known, newest({ bindings_pending: undefined }))).toBe(false);
    expect(await needsBindings(known, newest({ bindings_pending: undefined }))).toBe(false);
    expect(known.reads).toEqual([]);
  });
});

describe('commands of bindings need the folder of a job', () => {
  it.each<[needs: boolean, what: string, job: Job, deployments: JobDeployment[]]>([
    [true, 'one runs', newest(), [second()]],
    [true, 'one is pending', newest(), [second({ state: 'pending' })]],
    [true, 'those of its newest success are not recorded yet', newest(), [aDeployment({ state: 'succeeded' })]],
    [false, 'it is retried before those of its success are recorded', newest({ status: 'QUEUED' }), []],
    [false, 'those of an earlier success are not recorded', newest({ bindings_pending: [1] }), []],
    [true, 'one of an earlier success runs', newest({ bindings_pending: [1] }), [aDeployment()]],
    [
      false,
      'one of an earlier success is pending',
      newest({ bindings_pending: [1] }),
      [aDeployment({ state: 'pending' })],
    ],
    [false, 'one is pending, but the job is retried', newest({ status: 'QUEUED' }), [second({ state: 'pending' })]],
    [false, 'all have ended', newest(), [second({ state: 'succeeded' })]],
    [false, 'only signed calls are left', newest(), [second({ mode: 'generic', state: 'pending' })]],
  ])('%s, if %s', async (needs, _, job, deployments) => {
    expect(await needsBindings(knownThreads({ deployments }), job)).toBe(needs);
  });
});
