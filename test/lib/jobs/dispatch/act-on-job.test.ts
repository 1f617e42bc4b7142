import { expect, it } from 'vitest';
import { actOnJob, invalidState } from '../../../../lib/jobs/dispatch/act-on-job.ts';
import { NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

it('a client gets the job as its action leaves it', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob());
  const done = await actOnJob(deployment, job, { type: 'cancel' }, 'cancel');
  expect(done).toMatchObject({ status: 'CANCELLED' });
  expect(await deployment.read(job)).toEqual(done);
});

it('a client learns by which action, and in which state, it was refused', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob({ status: 'FAILED', reason: 'exited' }));
  await expect(actOnJob(deployment, job, { type: 'cancel' }, 'cancel')).rejects.toMatchObject({
    ...{ code: 'invalid_state', details: { state: 'FAILED', action: 'cancel' } },
  });
  expect(invalidState('retry', job, 'no', 'fork').details).toMatchObject({ action: 'retry', use: 'fork' });
});

it('a job that only a later version may change is not refused for its state', async () => {
  const deployment = quietDeployment();
  const job = await deployment.store(aJob({ status: 'PAUSED' }));
  await expect(actOnJob(deployment, job, { type: 'cancel' }, 'cancel')).rejects.toThrow(NewerSchemaError);
});

it('an action on a job that is gone says so', async () => {
  const gone = actOnJob(quietDeployment(), aJob(), { type: 'cancel' }, 'cancel');
  await expect(gone).rejects.toThrow('the job is gone, while applying "cancel"');
});
