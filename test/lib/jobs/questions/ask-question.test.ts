import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion } from '../../../../lib/jobs/questions/answer-question.ts';
import { askQuestion } from '../../../../lib/jobs/questions/ask-question.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const inSeconds = (seconds: number) => timestamp(deployment.clock.now() + seconds * 1_000);
const running = async (more: Partial<Job> = {}) => await deployment.store(aRunningJob({ agent: 'codex', ...more }));
const ask = async (job: Job, id: string, more: Partial<Parameters<typeof askQuestion>[2]> = {}) =>
  await askQuestion(deployment, job, { id, question: `${id}?`, ...more });
const jobNow = async (job: Job) => (await deployment.read(job)) ?? expect.fail('there is no job');
const rowsOf = async (job: Job) => await deployment.texts.questions.list(job.id);

describe('a question', () => {
  it('is recorded with its job and its deadline', async () => {
    const job = await running();
    const asked = await ask(job, 'q_1', { options: ['a', 'b'], deadlineSeconds: 60, default: 'a' });
    const due = inSeconds(60);
    expect(asked).toMatchObject({
      job: { question: { id: 'q_1', state: 'open', due, has_default: true }, questions: 1 },
    });
    const row = { question: 'q_1?', options: ['a', 'b'], default: 'a', attempt: 1, asked_at: inSeconds(0), due };
    expect(await rowsOf(job)).toEqual([{ id: 'q_1', answers: new Map(), ...row }]);
  });

  it('has a deadline and no answer if the agent gives neither', async () => {
    const asked = await ask(await running(), 'q_1');
    expect(asked).toMatchObject({ job: { question: { due: inSeconds(LIMITS.questions.deadlineSeconds.default) } } });
    expect('job' in asked && asked.job.question).not.toHaveProperty('has_default');
  });

  it('that is asked again by its name is recorded once, unless it was withdrawn', async () => {
    const job = await running();
    await ask(job, 'q_1');
    const known = await jobNow(job);
    expect(await ask(job, 'q_1')).toEqual({ job: known });
    expect(await jobNow(job)).toEqual(known);
    await deployment.jobs.apply(known, { ...known, question: { id: 'q_1', state: 'withdrawn', due: inSeconds(0) } });
    expect(await ask(job, 'q_1')).toEqual({ rejected: 'question q_1 is withdrawn' });
  });

  it('that is asked again once it is answered keeps its text and deadline', async () => {
    const job = await running();
    await ask(job, 'q_1');
    await answerQuestion(deployment, await jobNow(job), { questionId: 'q_1', answer: 'yes', by: 'token:me' });
    const [known, rows] = [await jobNow(job), await rowsOf(job)];
    await deployment.pass(1_000);
    expect(await ask(job, 'q_1', { question: 'another?' })).toEqual({ job: known });
    expect(await rowsOf(job)).toEqual(rows);
  });

  it('is judged by the job as of its last acknowledged write', async () => {
    deployment = quietDeployment({ lag: 60_000 });
    expect(await ask(await running(), 'q_1')).toMatchObject({ job: { question: { state: 'open' } } });
  });

  it('of a job that is gone is rejected', async () => {
    expect(await ask(aRunningJob(), 'q_1')).toEqual({ rejected: 'the job is gone' });
  });

  it.each<[why: string, job: Partial<Job>]>([
    ['question q_0 is open', { question: { id: 'q_0', state: 'open', due: '2999' }, questions: 1 }],
    ['a job asks at most 20 questions', { questions: 20 }],
  ])('is rejected and leaves no text: %s', async (rejected, more) => {
    const job = await running(more);
    expect(await ask(job, 'q_1')).toEqual({ rejected });
    expect(await rowsOf(job)).toEqual([]);
  });

  it('of an attempt that is over is rejected', async () => {
    const job = await running();
    expect(await ask({ ...job, attempt: 0 }, 'q_1')).toEqual({ rejected: 'the attempt is over' });
  });

  it('leaves what became of the one before it in its row, and not that of an open one', async () => {
    const job = await running();
    await ask(job, 'q_1');
    await ask(job, 'q_2');
    expect((await rowsOf(job)).map(({ state }) => state)).toEqual([undefined]);
    await answerQuestion(deployment, await jobNow(job), { questionId: 'q_1', answer: 'yes', by: 'token:me' });
    const { answer } = (await jobNow(job)).question ?? {};
    expect(await ask(job, 'q_2')).toMatchObject({ job: { question: { id: 'q_2', state: 'open' }, questions: 2 } });
    expect((await rowsOf(job)).find(({ id }) => id === 'q_1')).toMatchObject({ state: 'answered', answer });
  });
});

describe('an answer', () => {
  const answer = async (job: Job, questionId: string) =>
    await answerQuestion(deployment, job, { questionId, answer: 'yes', by: 'token:me' });

  it('is recorded, and a job that is parked for it is queued', async () => {
    const question = { id: 'q_1', state: 'open', due: '2999-01-01T00:00:00.000Z' } as const;
    const job = await deployment.store({ id: 'job_1', question, reason: 'question', parked: 'question' });
    const row = { question: 'q_1?', attempt: 1, asked_at: '2026', due: question.due };
    await deployment.texts.questions.put(job.id, 'q_1', row);
    const answered = await answer(job, 'q_1');
    expect(answered).toMatchObject({ reason: 'waiting_for_worker', question: { state: 'answered' } });
    const texts = await deployment.texts.questions.read(job.id, { id: 'q_1', answer: answered.question?.answer });
    expect(texts?.answer).toEqual({ text: 'yes', by: 'token:me', at: inSeconds(0) });
    await expect(answer(answered, 'q_1')).rejects.toMatchObject({
      code: 'invalid_state',
      message: 'answer: question q_1 is answered',
      details: { state: 'QUEUED', action: 'answer' },
    });
  });

  it.each<[why: string, question: Job['question']]>([
    ['the job has no question q_1 to answer', undefined],
    ['the job has no question q_1 to answer; question q_2 is open', { id: 'q_2', state: 'open', due: '2999' }],
    ['the job has no question q_1 to answer', { id: 'q_2', state: 'answered', due: '2999' }],
    ['question q_1 is expired', { id: 'q_1', state: 'expired', due: '2999' }],
  ])('is refused and leaves no text: %s', async (why, question) => {
    const job = await running({ question });
    deployment.calls.length = 0;
    await expect(answer(job, 'q_1')).rejects.toThrow(new RegExp(`^answer: ${why}$`));
    expect(deployment.calls).toEqual([]);
  });
});
