import { beforeEach, expect, it } from 'vitest';
import type { MessageCreation } from '../../../../lib/contract/schemas/jobs/message.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { acceptMessage } from '../../../../lib/jobs/messages/accept-message.ts';
import { messageId } from '../../../../lib/jobs/messages/message-id.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const accept = async (job: Job, more: Partial<MessageCreation> = {}) =>
  await acceptMessage(
    { ...deployment, messages: deployment.texts.messages },
    job,
    { text: 'hi', ...more },
    'token:test',
  );
const rowsOf = async (job: Job) => await deployment.texts.messages.list(job.id);

it.each<[code: string, why: RegExp, details: object | undefined, job: Job]>([
  [
    'invalid_state',
    /only a QUEUED or RUNNING job/,
    { state: 'DRAFT', action: 'message', use: 'submit' },
    aJob({ status: 'DRAFT' }),
  ],
  [
    'invalid_state',
    /only a QUEUED or RUNNING job/,
    { state: 'FAILED', action: 'message', use: 'continue' },
    aJob({ status: 'FAILED' }),
  ],
  [
    'invalid_state',
    /is being cancelled/,
    { state: 'RUNNING', action: 'message' },
    aRunningJob({ cancel_requested_at: '2026-11-20T10:00:01.000Z' }),
  ],
  ['invalid_request', /the agent shell runs a script and takes no messages/, undefined, aJob({ agent: 'shell' })],
])('a message is refused: %s, %s', async (code, why, details, job) => {
  const error = await accept(await deployment.store(job)).catch((refused: unknown) => refused);
  expect(error).toMatchObject({ code, message: expect.stringMatching(why) });
  expect((error as { details?: object }).details).toEqual(details);
  expect(await rowsOf(job)).toEqual([]);
});

it('a message that was written without an answer is accepted once, though the job has changed since', async () => {
  const job = await deployment.store(aJob());
  const { applyWith } = deployment.jobs;
  deployment.jobs.applyWith = async (...given) => {
    deployment.jobs.applyWith = applyWith;
    await applyWith.apply(deployment.jobs, given);
    const current = await deployment.read(job);
    return { applied: false, current };
  };
  const { id, replayed } = await accept(job);
  expect(replayed).toBe(false);
  expect(await rowsOf(job)).toMatchObject([{ id }]);
});

it('the id of a message follows from its job, its sender and its key', () => {
  expect(messageId('job_1', 'me', 'a')).toBe(messageId('job_1', 'me', 'a'));
  const keyed = [messageId('job_1', 'me', 'a'), messageId('job_1', 'me', 'b'), messageId('job_2', 'me', 'a')];
  const [one, two] = [messageId('job_1', 'me', undefined), messageId('job_1', 'me', undefined)];
  expect(new Set([...keyed, messageId('job_1', 'you', 'a'), one, two]).size).toBe(6);
});
