import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { expireQuestions } from '../../../../lib/jobs/questions/expire-questions.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { printedBy } from '../../../local-run/captured-lines.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const asking = (id: string, { seconds = -1, has_default = false, more = {} as Partial<Job> } = {}): Job => {
  const due = timestamp(deployment.clock.now() + seconds * 1_000);
  const question = { id: 'q_1', state: 'open', due, ...(has_default && { has_default }) } as const;
  return aJob({
    id,
    status: 'QUEUED',
    attempt: 1,
    reason: 'question',
    parked: 'question',
    question,
    due_at: due,
    ...more,
  });
};
const stateOf = async (id: string) => (await deployment.read({ id }))?.question?.state;

it('a job fails at the deadline of its question, unless its agent gave a default answer', async () => {
  await deployment.store(asking('job_late'));
  await deployment.store(asking('job_default', { has_default: true }));
  await deployment.store(asking('job_early', { seconds: 60 }));
  expect((await expireQuestions(deployment)).map(({ id, status }) => [id, status])).toEqual([['job_late', 'FAILED']]);
  expect([await stateOf('job_late'), await stateOf('job_default'), await stateOf('job_early')]).toEqual([
    'expired',
    'expired',
    'open',
  ]);
  expect(await deployment.read({ id: 'job_default' })).toMatchObject({
    status: 'QUEUED',
    reason: 'waiting_for_worker',
  });
});

it('a job that has changed since it was listed does not keep the others', async () => {
  const listed = ['job_gone', 'job_later', 'job_other', 'job_answered', 'job_late'].map((id) => asking(id));
  for (const job of listed) {
    const now = job.id === 'job_other' ? { ...job, question: undefined } : job;
    if (job.id === 'job_answered')
      await deployment.store({ ...job, question: { id: 'q_1', state: 'answered', due: '2026' } });
    else if (job.id === 'job_later') {
      const Item = { ...job, ...indexKeys(job), schema: NEWEST_JOB_SCHEMA + 1 };
      await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
    } else if (job.id !== 'job_gone') await deployment.store(now);
  }
  const context = {
    ...deployment,
    async *partition() {
      yield* listed;
    },
  };
  const { lines, result } = await printedBy(async () => await expireQuestions(context));
  expect(result.map(({ id }) => id)).toEqual(['job_late']);
  expect(await stateOf('job_answered')).toBe('answered');
  // None of them is damaged.
  expect(lines.filter(({ level }) => level === 'ERROR')).toEqual([]);
});
