import { expect, test } from 'vitest';
import { AGENT_DEFINITIONS } from '../../../lib/contract/agents.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { answerQuestion, askQuestion, listQuestions } from '../../../lib/jobs/questions/questions.ts';
import type { JobTexts } from '../../../lib/jobs/store/job-texts.ts';
import type { RestoredSession } from '../../../worker-container/agent-sessions/restore-session.ts';
import { attemptPrompt, jobPrompt } from '../../../worker-container/prompt/attempt-prompt.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aJob, aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** @param attempt of the job, whose session its agent continues; undefined: the session of an earlier turn */
async function promptOf(attempt: number | undefined): Promise<string> {
  const resumed = { attempt, messageIds: new Set() } as unknown as RestoredSession;
  const situation = { agent: 'codex', prompt: 'Paint it.', earlier: [], resumed, redaction: new Redaction() } as const;
  return (await attemptPrompt(quietDeployment() as never, aRunningJob({ agent: 'codex' }), situation)).prompt;
}

test('an agent whose work was interrupted gets a note on what to expect, and not its task again', async () => {
  const note = (await promptOf(1)).replaceAll('\n', ' ');
  for (const part of [
    'was interrupted, and now continues',
    'The last command may be half done: check before you repeat it.',
    'Temporary files may be gone',
    'the working folder may have changed',
  ])
    expect(note).toContain(part);
  expect(note).not.toContain('Paint it.');
});

test('an agent that continues the session of an earlier turn gets its task alone', async () => {
  expect(await promptOf(undefined)).toBe('Paint it.');
});

test('an agent has the rules before its prompt, and a script takes none', () => {
  const rules = [{ text: 'Be kind.' }];
  expect(jobPrompt('shell', [], { prompt: 'true' } as JobTexts)).toBe('true');
  expect(() => jobPrompt('shell', rules, { prompt: 'true' } as JobTexts)).toThrow('has rules');
  const from = { name: 't', version: 1, parameters: { text: 'true' }, in_prompt: true, in_environment: false };
  expect(() => jobPrompt('shell', [], { prompt: 'true', project: 'p', from })).toThrow('has values of its template');
  expect(jobPrompt('shell', [], { prompt: 'true', project: 'p', from: { ...from, in_prompt: false } })).toBe('true');
  expect(jobPrompt('codex', rules, { prompt: 'Paint it.' } as JobTexts)).toBe('Be kind.\n\nPaint it.');
});

test('a prompt that its agent would not take fails with the reason, with or without an answer', async () => {
  const most = AGENT_DEFINITIONS.codex.maxPromptLength;
  const long = 'x'.repeat(most - 1);
  expect(jobPrompt('codex', [], { prompt: `${long}y` } as JobTexts)).toHaveLength(most);
  expect(() => jobPrompt('codex', [], { prompt: `${long}yz` } as JobTexts)).toThrow('longer than agent codex takes');
  await expect(answered('codex', long)).rejects.toThrow('with the answer to its question is longer than agent codex');
});

/** The prompt of a job whose only question was answered with blue. */
async function answered(agent: 'codex', prompt: string): Promise<string> {
  const deployment = quietDeployment();
  const asked = await deployment.store(aRunningJob({ agent }));
  const before = await askQuestion(deployment, asked, { id: 'q_1', question: 'Which colour?', options: undefined });
  if ('rejected' in before) expect.fail(before.rejected);
  await answerQuestion(deployment, before.job, { questionId: 'q_1', answer: 'blue', by: 'token:x' });
  const job = (await deployment.read(asked)) ?? expect.fail('the job is gone');
  const how = { agent, prompt, earlier: undefined, resumed: undefined, redaction: new Redaction() } as const;
  return (await attemptPrompt(deployment as never, job, how)).prompt;
}

test('an agent gets the answer to its question after its task', async () => {
  expect(await answered('codex', 'Paint it.')).toBe('Paint it.\n\nYou asked:\n\nWhich colour?\n\nThe answer:\n\nblue');
});

/** What is stored of turns, by the id of their job. */
const TURNS: Record<string, { prompt: string; answer?: string }> = {
  job_1: { prompt: 'Buy paint.', answer: 'Bought.' },
  job_2: { prompt: 'Sand the door.', answer: 'Sanded.' },
  job_3: { prompt: 'Wait.' },
};
const SOURCES = {
  ...quietDeployment(),
  texts: { ...quietDeployment().texts, get: async ({ id }: { id: string }) => TURNS[id] },
  output: {
    readReceipt: async (job_id: string) =>
      aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id, final_message: TURNS[job_id]?.answer }),
  },
} as never;

/** The prompt after three turns, the last of which was cancelled, for the session of one of them. */
async function afterTurns(jobId: string, first: Partial<Job> = {}) {
  const ended = (id: string, more: Partial<Job>) => ({
    job: aJob({ id, attempt: 1, agent: 'codex', ...more }),
    attempt: 1,
  });
  const earlier = [
    ended('job_1', { status: 'SUCCEEDED', ...first }),
    ended('job_2', { status: 'SUCCEEDED' }),
    ended('job_3', { status: 'CANCELLED' }),
  ];
  const resumed = { attempt: undefined, jobId, messageIds: new Set() } as unknown as RestoredSession;
  const situation = { agent: 'codex', prompt: 'Paint it.', earlier, resumed, redaction: new Redaction() } as const;
  return await attemptPrompt(SOURCES, aRunningJob({ agent: 'codex' }), situation);
}

test('an agent whose session lacks later turns gets a record of those that succeeded', async () => {
  expect(await afterTurns('job_2')).toMatchObject({ prompt: 'Paint it.', warnings: [] });
  const { prompt, warnings } = await afterTurns('job_1');
  for (const part of ['Sand the door.', 'Sanded.', 'Paint it.']) expect(prompt).toContain(part);
  for (const part of ['Buy paint.', 'Wait.']) expect(prompt).not.toContain(part);
  expect(warnings).toEqual(['session: it lacks the last of the thread: the agent got a record of 1 turn instead']);
});

test('an agent whose session was not saved completely gets a record of its turn too', async () => {
  const fault = 'session: not saved completely: its file is larger than 64 MiB';
  const { prompt, warnings } = await afterTurns('job_1', { attempt_warnings: [fault] });
  for (const part of ['Buy paint.', 'Bought.', 'Sanded.']) expect(prompt).toContain(part);
  expect(warnings).toEqual([expect.stringContaining('2 turns')]);
});

test('an answer that no attempt got is masked in the record of its turn, and from then on where it is stored', async () => {
  const deployment = quietDeployment();
  const { questions } = deployment.texts;
  const asked = await deployment.store(aRunningJob({ id: 'job_1', agent: 'codex' }));
  for (const id of ['q_1', 'q_2']) {
    const before = await askQuestion(deployment, asked, { id, question: `${id}?`, options: undefined });
    if ('rejected' in before) expect.fail(before.rejected);
    await answerQuestion(deployment, before.job, { questionId: id, answer: `${id} is hunter2.`, by: 'token:x' });
  }
  const job = (await deployment.read(asked)) ?? expect.fail('the job is gone');
  const sources = { ...(SOURCES as object), texts: { ...deployment.texts, get: async () => TURNS.job_1 } } as never;
  const redaction = new Redaction(['hunter2']);
  const earlier = [{ job, attempt: 1 }];
  const situation = { agent: 'codex', prompt: 'Paint it.', earlier, resumed: undefined, redaction } as const;
  const { prompt, warnings } = await attemptPrompt(sources, aRunningJob({ id: 'job_2', agent: 'codex' }), situation);
  expect(warnings).toEqual([]);
  for (const part of ['q_1 is ***.', 'q_2 is ***.']) expect(prompt).toContain(part);
  expect(prompt).not.toContain('hunter2');
  const stored = await listQuestions(questions, job);
  expect(stored.map(({ answer, answered_by }) => [answer, answered_by]).toSorted()).toEqual([
    ['q_1 is ***.', 'token:x'],
    ['q_2 is ***.', 'token:x'],
  ]);
});
