import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion } from '../../../lib/jobs/questions/answer-question.ts';
import { answerText } from '../../../lib/jobs/questions/answer-text.ts';
import { listQuestions } from '../../../lib/jobs/questions/list-questions.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { askHuman } from '../../../worker-container/tools/ask-human.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
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

  test('writes nothing for an answer without secrets', async () => {
    const { call } = await asked();
    await deployment.pass(1_000);
    const answered = await answer('yes');
    deployment.calls.length = 0;
    watch.hear(answered);
    await call;
    expect(deployment.calls.map((command) => (command as object).constructor.name)).not.toContain('PutCommand');
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

  test('keeps an agent that asks again, if it gets an answer: that to its earlier question too', async () => {
    const tool = theTool();
    const call = async (question: string) => {
      const called = tool.call({ question }, new AbortController().signal);
      await deployment.pass(10);
      return { called };
    };
    const first = await call('Which color?');
    await deployment.pass(WAIT_MS + 100);
    expect(await first.called).toMatch(/End your turn now/);
    await answer('blue, hunter2');
    const second = await call('Which size?');
    // Longer than an agent has to end its turn.
    await deployment.pass(40_000);
    expect(onAnswered).not.toHaveBeenCalled();
    watch.hear(await answer('large'));
    expect(await second.called).toBe(
      'You asked:\n\nWhich color?\n\nThe answer:\n\nblue, ***\n\nYou asked:\n\nWhich size?\n\nThe answer:\n\nlarge',
    );
    expect(onAnswered).toHaveBeenCalledOnce();
    await deployment.pass(60_000);
    expect(onLate).not.toHaveBeenCalled();
    const third = await call('Which name?');
    watch.hear(await answer('Ada'));
    expect(await third.called).toBe('The answer: Ada');
    const last = await call('Which place?');
    await deployment.pass(WAIT_MS + 100);
    expect(await last.called).toMatch(/End your turn now/);
    await deployment.pass(31_000);
    expect([onUnanswered.mock.calls.length, onLate.mock.calls.length]).toEqual([2, 1]);
  });

  test('takes the default answer at a deadline within the wait', async () => {
    const { call } = await asked({ default: 'gray', deadline_seconds: 5 });
    await deployment.pass(5_200);
    expect(await call).toBe('Nobody answered before the deadline. Continue with your default answer: gray');
    expect((await read()).question).toMatchObject({ state: 'expired' });
  });

  test('names the question that is open', async () => {
    const first = await asked();
    const { question } = await read();
    await expect(ask({})).rejects.toThrow(`Not asked: question ${question?.id} is open.`);
    await deployment.pass(WAIT_MS);
    await first.call;
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

  /** The write of a question is applied, and its answer is lost: the call fails. */
  const failedCall = async (tool: ReturnType<typeof theTool>, question: string) => {
    const { apply } = deployment.jobs;
    const lost = vi.spyOn(deployment.jobs, 'apply').mockImplementationOnce(async (...given) => {
      await apply.apply(deployment.jobs, given);
      throw new Error('the answer to the write was lost');
    });
    await expect(tool.call({ question }, new AbortController().signal)).rejects.toThrow('was lost');
    lost.mockRestore();
  };

  test.for([
    { what: 'open', answers: false },
    { what: 'answered', answers: true },
  ])('that failed is repeated without asking twice, when its question is $what by then', async ({ answers }) => {
    const tool = theTool();
    const call = (question: string) => tool.call({ question }, new AbortController().signal);
    await failedCall(tool, 'Which color?');
    await expect(call('Which size?')).rejects.toThrow(`Not asked: question ${(await read()).question?.id} is open.`);
    if (answers) await answer('blue');
    const again = call('Which color?');
    await deployment.pass(10);
    watch.hear(answers ? await read() : await answer('blue'));
    await deployment.pass(WAIT_MS);
    expect(await again).toBe('The answer: blue');
    expect(await read()).toMatchObject({ questions: 1 });
    expect(await listQuestions(deployment.texts.questions, await read())).toMatchObject([{ answer: 'blue' }]);
  });

  test('that failed leaves no question open for which its agent does not wait', async () => {
    const tool = theTool();
    await failedCall(tool, 'Which color?');
    const unheard = await read();
    expect(unheard.question).toMatchObject({ state: 'open' });
    // The first withdrawal fails too.
    vi.spyOn(deployment.jobs, 'apply').mockRejectedValueOnce(new Error('throttled'));
    watch.hear(unheard);
    await deployment.pass(10);
    expect((await read()).question).toMatchObject({ state: 'open' });
    watch.hear(unheard);
    await deployment.pass(10);
    expect((await read()).question).toMatchObject({ id: unheard.question?.id, state: 'withdrawn' });
    await expect(answer('too late')).rejects.toThrow('is withdrawn');
    const again = tool.call({ question: 'Which color?' }, new AbortController().signal);
    await deployment.pass(10);
    watch.hear(await answer('blue'));
    expect(await again).toBe('The answer: blue');
    expect((await read()).question?.id).not.toBe(unheard.question?.id);
  });

  test('that failed is repeated under another name if the withdrawal of its question got no answer', async () => {
    const tool = theTool();
    await failedCall(tool, 'Which color?');
    const { apply } = deployment.jobs;
    vi.spyOn(deployment.jobs, 'apply').mockImplementationOnce(async (...given) => {
      await apply.apply(deployment.jobs, given);
      throw new Error('the answer to the write was lost');
    });
    watch.hear(await read());
    await deployment.pass(10);
    const call = () => tool.call({ question: 'Which color?' }, new AbortController().signal);
    await expect(call()).rejects.toThrow(`Not asked: question ${(await read()).question?.id} is withdrawn.`);
    const again = call();
    await deployment.pass(10);
    watch.hear(await answer('blue'));
    expect(await again).toBe('The answer: blue');
  });

  test('leaves an answer that it could not read to the next attempt', async () => {
    const { call } = await asked();
    const answered = await answer('yes');
    const failure = new Error('throttled');
    vi.spyOn(deployment.texts.questions, 'read').mockRejectedValue(failure);
    watch.hear(answered);
    expect(await call).toMatch(/is recorded/);
    expect(onFailure).toHaveBeenCalledWith(failure);
    expect(onUnanswered).toHaveBeenCalledOnce();
  });

  test('waits on when a read of the job shows its question, still open', async () => {
    const { call } = await asked();
    watch.hear(await read());
    await deployment.pass(100);
    watch.hear(await answer('yes'));
    expect(await call).toBe('The answer: yes');
  });

  test('has a deadline of a week if it sets none', async () => {
    const begun = deployment.time.wall;
    const { call } = await asked();
    const { question, questions } = await read();
    expect(Date.parse(question?.due ?? '') - begun - 7 * 86_400_000).toBeLessThanOrEqual(10);
    expect(questions).toBe(1);
    await deployment.pass(WAIT_MS);
    await call;
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

  test('brings no answer back whose job was removed meanwhile', async () => {
    const job = await answeredLate();
    const { questions } = deployment.texts;
    const { question } = job;
    const row = { text: '***', by: 'token:x', at: job.updated_at };
    await questions.removeAll(job.id);
    await questions.replaceAnswer(job.id, question ?? expect.fail('no question'), row);
    // A list shows no answer without its question.
    const { Items } = await deployment.table.send(
      new QueryCommand({
        TableName: ENV.REGISTRY_TABLE,
        KeyConditionExpression: 'kind = :kind',
        ExpressionAttributeValues: { ':kind': `questions#${job.id}` },
      }),
    );
    expect(Items).toEqual([]);
  });
});
