import { expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { markWatched } from '../../../../lib/jobs/output/reading/read-output.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

it('a job is marked as watched as long as its output is followed, and no longer', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store({ id: 'job_00000000000000000000000001', status: 'RUNNING', reason: 'running' });
  const until = deployment.clock.now() + 150_000;
  for (let second = 0; second < 200; second += 10) {
    if (deployment.clock.now() < until)
      await markWatched(deployment, (await deployment.read(job)) as Job, { markMs: 60_000, until });
    const { watched_until = '' } = (await deployment.read(job)) as Job;
    expect(Date.parse(watched_until) > deployment.clock.now(), `second ${second}`).toBe(second < 150);
    await deployment.pass(10_000);
  }
});
