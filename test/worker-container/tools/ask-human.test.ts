import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerText } from '../../../lib/jobs/questions/answer-text.ts';
import { answerQuestion, listQuestions } from '../../../lib/jobs/questions/questions.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { askHuman } from '../../../worker-container/tools/ask-human.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

let deployment: QuietDeployment;
let job: Job;
let watch: JobWatch;
let onUnanswered = vi.fn();
let onAnswered = vi.fn();
let onLate = vi.fn();
let onFailure = vi.fn();
beforeEach(async () => {
  deployment = quietDeployment();
  job = await deployment.store(aRunningJob({ id: 'job_asking', agent: 'codex' }));
  watch = new JobWatch();
  [onUnanswered, onAnswered, onLate, onFailure] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
});

const WAIT_MS = 45_000;
const read = async () => (await deployment.read(job)) ?? expect.fail('the job is gone');

/** The call, once its question is recorded: time passes for what has begun. */
async function asked(input: object = {}): Promise<{ readonly call: Promise<string> }> {
  const call = ask(input);
  await deployment.pass(10);
  return { call };
}

function theTool() {
  const { time } = deployment;
  const timing = { now: () => time.now, schedule: (run: () => void, delay: number) => time.schedule(run, delay) };
  const attempt = { job, watch, redaction: new Redaction(['hunter2']), waitMs: WAIT_MS, timing };
  return askHuman(deployment, { ...attempt, onUnanswered, onAnswered, onLate, onFailure });
}

function ask(input: object): Promise<string> {
  return theTool().call({ question: 'Is it hunter2?', ...input }, new AbortController().signal);
}

async function answer(text: string): Promise<Job> {
  const known = await read();
  return await answerQuestion(deployment, known, { questionId: known.question?.id ?? '', answer: text, by: 'token:x' });
}

describe('the call of ask_human', () => {
  test('returns an answer that comes within its wait, as the heartbeat reads it', async () => {
    const { call } = await asked();
    await deployment.pass(1_000);
    expect(await deployment.texts.questions.list(job.id)).toMatchObject([{ question: 'Is it ***?', attempt: 1 }]);
    watch.hear(await answer('yes'));
    expect(await call).toBe('The answer: yes');
    expect(onUnanswered).not.toHaveBeenCalled();
  });

  test('masks an answer, also where it is stored', async () => {
    const { call } = await asked();
    await deployment.pass(1_000);
    watch.hear(await answer('It is hunter2.'));
    expect(await call).toBe('The answer: It is ***.');
    const job = await read();
    expect(await listQuestions(deployment.texts.questions, job)).toMatchObject([
      { state: 'answered', answer: 'It is ***.', answered_by: 'token:x' },
    ]);
  });

  test('masks the options and the default of a question too', async () => {
    const { call } = await asked({ options: ['hunter2', 'other'], default: 'hunter2', deadline_seconds: 5 });
    const [stored] = await deployment.texts.questions.list(job.id);
    expect(stored).toMatchObject({ question: 'Is it ***?', options: ['***', 'other'], default: '***' });
    await deployment.pass(5_200);
    await call;
  });

  test('asks the agent to end its turn after the wait, and ends it 30 seconds later', async () => {
    const { call } = await asked();
    await deployment.pass(WAIT_MS - 100);
    expect(onUnanswered).not.toHaveBeenCalled();
    await deployment.pass(200);
    expect(await call).toMatch(/is recorded\. There is no answer yet\. End your turn now/);
    expect(onUnanswered).toHaveBeenCalledOnce();
    await deployment.pass(29_000);
    expect(onLate).not.toHaveBeenCalled();
    await deployment.pass(1_200);
    expect(onLate).toHaveBeenCalledOnce();
    expect((await read()).question).toMatchObject({ state: 'open' });
  });

  test('takes the default answer at a deadline within the wait', async () => {
    const { call } = await asked({ default: 'gray', deadline_seconds: 5 });
    await deployment.pass(5_200);
    expect(await call).toBe('Nobody answered before the deadline. Continue with your default answer: gray');
    expect((await read()).question).toMatchObject({ state: 'expired' });
  });

  test('takes no answer to the question before for its own, if a read of the job was late', async () => {
    const first = await asked();
    const before = await answer('blue');
    watch.hear(before);
    await first.call;
    const { call } = await asked({ question: 'Which size?' });
    // The heartbeat read this before the second question was recorded, and hears it now.
    watch.hear(before);
    await deployment.pass(100);
    watch.hear(await answer('large'));
    expect(await call).toBe('The answer: large');
    expect(onUnanswered).not.toHaveBeenCalled();
  });
});

describe('the prompt of the next attempt', () => {
  const mask = (text: string) => new Redaction(['hunter2']).text(text);
  const answeredLate = async () => {
    const { call } = await asked();
    await deployment.pass(WAIT_MS + 100);
    await call;
    return await answer('It is hunter2.');
  };

  test('has the answer masked, and so has the store from then on', async () => {
    const job = await answeredLate();
    const { questions } = deployment.texts;
    const stored = async () => (await listQuestions(questions, job))[0]?.answer;
    expect(await stored()).toBe('It is hunter2.');
    expect(await answerText(questions, job, mask)).toContain('The answer:\n\nIt is ***.');
    expect(await stored()).toBe('It is ***.');
  });

  /** Asks, gets an answer in time, and continues. */
  const answeredAtOnce = async (question: string, text: string) => {
    const { call } = await asked({ question });
    watch.hear(await answer(text));
    await call;
  };
  const prompted = async (of?: Job) => await answerText(deployment.texts.questions, of ?? (await read()), mask);

  test('has all questions of the round with their answers, the newest last', async () => {
    await answeredAtOnce('Which color?', 'blue');
    await answeredAtOnce('Which size?', 'It is hunter2.');
    const { call } = await asked({ question: 'Which name?', default: 'Ada', deadline_seconds: 5 });
    await deployment.pass(5_200);
    await call;
    const parts = [
      'You asked:\n\nWhich color?\n\nThe answer:\n\nblue',
      'You asked:\n\nWhich size?\n\nThe answer:\n\nIt is ***.',
      'You asked:\n\nWhich name?\n\nNobody answered before the deadline. Continue with your default answer:\n\nAda',
    ];
    expect(await prompted()).toBe(parts.join('\n\n'));
    // What does not fit is left out from the oldest on, never the newest.
    const most = Buffer.byteLength(parts.slice(1).join('\n\n'));
    const { questions } = deployment.texts;
    expect(await answerText(questions, await read(), mask, most)).toBe(parts.slice(1).join('\n\n'));
    expect(await answerText(questions, await read(), mask, 1)).toBe(parts[2]);
  });

  test('has none of an earlier round', async () => {
    await answeredAtOnce('Which color?', 'blue');
    await answeredAtOnce('Which size?', 'large');
    const { question, ...rest } = await read();
    const stale = { ...(question ?? expect.fail('no question')), stale: true };
    await deployment.jobs.apply(await read(), { ...rest, question: stale });
    expect(await prompted()).toBeUndefined();
    await answeredAtOnce('Which name?', 'Ada');
    expect(await prompted()).toBe('You asked:\n\nWhich name?\n\nThe answer:\n\nAda');
  });
});
