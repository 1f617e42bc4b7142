import { beforeEach, expect, test, vi } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion } from '../../../lib/jobs/questions/answer-question.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { askHuman } from '../../../worker-container/tools/ask-human.ts';
import { JobWatch } from '../../../worker-container/tools/job-watch.ts';
import type { Tool } from '../../../worker-container/tools/tool.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { countedTimers } from '../output/counted-timers.ts';

const WAIT_MS = 45_000;
const END = /^Your question is recorded\. There is no answer yet\. End your turn now/;

let deployment: QuietDeployment;
let job: Job;
let watch: JobWatch;
let tool: Tool;
let timers: ReadonlySet<object>;
let onFailure = vi.fn();
beforeEach(async () => await begin());

async function begin({ lag = 0 } = {}): Promise<void> {
  deployment = quietDeployment({ lag });
  job = await deployment.store(aRunningJob({ id: 'job_asking', agent: 'codex' }));
  watch = new JobWatch();
  onFailure = vi.fn();
  const { time } = deployment;
  const counted = countedTimers((run, delay) => time.schedule(run, delay));
  timers = counted.timers;
  const attempt = {
    job,
    watch,
    redaction: new Redaction([]),
    waitMs: WAIT_MS,
    timing: { now: () => time.now, schedule: counted.schedule },
  };
  const nothing = () => undefined;
  tool = askHuman(deployment, { ...attempt, onUnanswered: nothing, onAnswered: nothing, onLate: nothing, onFailure });
}

/** Calls the tool; its question is recorded soon after. */
async function ask(question: string, more: object = {}): Promise<{ readonly answer: Promise<string> }> {
  const answer = tool.call({ question, ...more }, new AbortController().signal);
  await deployment.pass(10);
  return { answer };
}

const read = async () => (await deployment.read(job)) ?? expect.fail('the job is gone');

async function answered(text: string): Promise<Job> {
  const known = await read();
  return await answerQuestion(deployment, known, { questionId: known.question?.id ?? '', answer: text, by: 'token:x' });
}

test('an answer leaves no timer behind', async () => {
  const { answer } = await ask('Which color?');
  watch.hear(await answered('blue'));
  expect(await answer).toBe('The answer: blue');
  expect(timers.size).toBe(0);
});

test('a question that is asked once more while it is being recorded is asked once', async () => {
  const { apply } = deployment.jobs;
  const recorded = Promise.withResolvers<void>();
  vi.spyOn(deployment.jobs, 'apply').mockImplementationOnce(async (...given) => {
    await recorded.promise;
    return await apply.apply(deployment.jobs, given);
  });
  const first = await ask('Which color?');
  const second = await ask('Which color?');
  recorded.resolve();
  await deployment.pass(10);
  watch.hear(await answered('blue'));
  expect(await Promise.all([first.answer, second.answer])).toEqual(['The answer: blue', 'The answer: blue']);
});

test('a question that was answered can be asked once more', async () => {
  const first = await ask('Which color?');
  watch.hear(await answered('blue'));
  await first.answer;
  const second = await ask('Which color?');
  watch.hear(await answered('red'));
  expect(await second.answer).toBe('The answer: red');
});

test('a wait that ends before the deadline reads and writes nothing, and is no failure', async () => {
  const { answer } = await ask('Which color?');
  deployment.calls.length = 0;
  await deployment.pass(WAIT_MS);
  expect(await answer).toMatch(END);
  expect([deployment.calls, onFailure.mock.calls]).toEqual([[], []]);
});

test('an agent that got no answer before gets none with a question that expires without a default', async () => {
  const first = await ask('Which color?');
  await deployment.pass(WAIT_MS);
  await first.answer;
  await answered('blue');
  const { answer } = await ask('Which size?', { deadline_seconds: 5 });
  await deployment.pass(5_200);
  expect(await answer).toMatch(END);
});

test('an answer that no heartbeat has read is found at the deadline', async () => {
  const { answer } = await ask('Which color?', { deadline_seconds: 5 });
  await answered('blue');
  await deployment.pass(5_200);
  expect(await answer).toBe('The answer: blue');
});

test('the answer to a later question is not taken for that to an earlier one at its deadline', async () => {
  const first = await ask('Which color?', { deadline_seconds: 5 });
  await answered('blue');
  const second = await ask('Which size?');
  const both = await answered('large');
  await deployment.pass(5_200);
  expect(await first.answer).toMatch(END);
  watch.hear(both);
  await second.answer;
});

test('the deadline is checked against what was last written', async () => {
  await begin({ lag: 600_000 });
  const { answer } = await ask('Which color?', { deadline_seconds: 5, default: 'gray' });
  await deployment.pass(5_200);
  expect(await answer).toContain('Continue with your default answer: gray');
});

test('a job that was removed by the deadline gives no answer, which is no failure', async () => {
  const { answer } = await ask('Which color?', { deadline_seconds: 5 });
  vi.spyOn(deployment.jobs, 'get').mockResolvedValueOnce(undefined);
  await deployment.pass(5_200);
  expect(await answer).toMatch(END);
  expect(onFailure).not.toHaveBeenCalled();
});

test('an answer whose text was removed is none, which is no failure', async () => {
  const { answer } = await ask('Which color?');
  const heard = await answered('blue');
  await deployment.texts.questions.removeAll(job.id);
  watch.hear(heard);
  expect(await answer).toMatch(END);
  expect(onFailure).not.toHaveBeenCalled();
});

test('the default of a question that was withdrawn is no answer', async () => {
  const { answer } = await ask('Which color?', { default: 'gray' });
  const asking = await read();
  watch.hear({ ...asking, question: { ...(asking.question ?? expect.fail('no question')), state: 'withdrawn' } });
  expect(await answer).toMatch(END);
});
