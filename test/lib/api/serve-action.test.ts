import { expect, it } from 'vitest';
import { wholeView } from '../../../lib/api/serve-action.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../jobs/a-job.ts';

it('only the receipt of a job that has changes is read, and they are shown', async () => {
  const deployment = quietDeployment();
  const changes = { files: 2, added: 3, removed: 1 } as never;
  const read: unknown[][] = [];
  const readReceipt: typeof deployment.readReceipt = async (...attempt) => {
    read.push(attempt);
    return aReceipt({ kind: 'succeeded', reason: 'exited' }, { changes });
  };
  const waiting = { annotate: async (jobs: unknown) => jobs } as never;
  const context = { ...deployment, readReceipt, waiting };
  const job = await deployment.read(await createJob(deployment, { prompt: 'Count.' }, 'token:test'));
  if (job === undefined) throw new Error('the job is gone');
  expect(await wholeView(job, context, 'seconds')).toMatchObject({ id: job.id, prompt: 'Count.' });
  expect(read).toEqual([]);
  expect(await wholeView({ ...job, has_changes: true }, context, 'seconds')).toMatchObject({ changes });
  expect(read).toEqual([[job.id, 0]]);
});
