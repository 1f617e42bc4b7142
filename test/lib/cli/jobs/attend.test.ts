import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import type { StopSignal } from '../../../../lib/cli/base/exit-codes.ts';
import { type Answers, commandLine, refused } from '../command-line.ts';
import { jobIn, statesOf } from '../job-answers.ts';

const promptq = commandLine();
const QUEUED = jobIn('QUEUED', 'waiting_for_worker');
const RUNNING = jobIn('RUNNING', 'running');
const MAY_RUN = 'job j may still run; `promptq wait j` waits for its end\n';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['SUCCEEDED', 0],
  ['FAILED', 1],
  ['CANCELLED', 3],
])('reports each state of a job that ends as %s, and exits with %d', async (status, code) => {
  const end = jobIn(status, 'exited');
  const answers = statesOf(QUEUED, RUNNING, end);
  expect(await promptq(['wait', 'j'], answers)).toEqual({
    code,
    stdout: `${status}: It is exited.\n`,
    stderr: 'QUEUED: It is waiting_for_worker.\nRUNNING: It is running.\n',
    requests: ['GET /jobs/j/status', 'GET /jobs/j/status?wait=25', 'GET /jobs/j/status?wait=25'],
  });
  const { code: sameCode, stdout } = await promptq(['wait', 'j', '--json'], answers);
  expect([sameCode, JSON.parse(stdout)]).toEqual([code, end]);
});

const QUESTIONS = 'GET /jobs/j/questions';
const asks = 'promptq: the agent asks a question; `promptq questions j` shows it';
const waitsOn = 'and `promptq wait j` waits for the end\n';

it('asks the person at the terminal, and continues with the answer', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const question = { id: 'q1', state: 'open', question: 'Which color?', options: ['red', 'blue'], default: null };
  const answered = Promise.withResolvers<Response>();
  const answers: Answers = {
    'GET /jobs/j/status': jobIn('RUNNING', 'question', { updated_at: '1' }),
    'GET /jobs/j/status?wait=25': async () => await answered.promise,
    [QUESTIONS]: { items: [question] },
    'POST /jobs/j/answers': () => {
      answered.resolve(Response.json(jobIn('SUCCEEDED', 'exited')));
      return Response.json(RUNNING);
    },
  };
  stdin.write('\n2\n');
  const result = await promptq(['wait', 'j'], answers, { stdin, isTerminal: true });
  expect(result).toMatchObject({ code: 0, stdout: 'SUCCEEDED: It is exited.\n' });
  expect(result.stderr).toContain('The agent asks:\nWhich color?\n  1  red\n  2  blue\n');
  expect(result.requests).toContain('POST /jobs/j/answers {"question_id":"q1","answer":"blue"}');
});

it.each<[string, string, Answers, string]>([
  [
    'is a draft',
    'draft',
    {},
    'promptq: job j is a draft; `promptq submit j` queues it, and `promptq wait j` then waits for its end\n',
  ],
  [
    'asks a question',
    'question',
    {
      [QUESTIONS]: {
        items: [
          { id: 'q1', state: 'answered' },
          { id: 'q2', state: 'open' },
        ],
      },
    },
    `${asks}, \`promptq answer j --question q2 ANSWER\` answers it, ${waitsOn}`,
  ],
  ['asks one that is answered already', 'question', { [QUESTIONS]: { items: [] } }, `${asks}, ${waitsOn}`],
  ['asks one that may not be read', 'question', { [QUESTIONS]: refused(403, 'forbidden') }, `${asks}, ${waitsOn}`],
  [
    'needs an account',
    'account_required',
    {},
    'promptq: It is account_required. Job j continues; `promptq wait j` waits for its end\n',
  ],
  [
    'belongs to a thread that has stopped',
    'thread_stopped',
    {},
    'promptq: It is thread_stopped. Job j continues; `promptq wait j` waits for its end\n',
  ],
])('exits with 7 at a job that %s, unless it is asked to wait on', async (_, code, others, reported) => {
  const waiting = jobIn('QUEUED', code);
  const answers = { ...statesOf(waiting, jobIn('SUCCEEDED', 'exited')), ...others };
  const ended = await promptq(['wait', 'j'], answers);
  expect(ended).toMatchObject({ code: 7, stdout: '', stderr: `QUEUED: It is ${code}.\n${reported}` });
  expect(await promptq(['wait', 'j', '--wait-for-people'], answers)).toMatchObject({
    code: 0,
    stdout: 'SUCCEEDED: It is exited.\n',
    stderr: `QUEUED: It is ${code}.\n`,
  });
});

it.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGPIPE', 141],
  ['SIGTERM', 143],
] as const)('leaves the job alone at %s, and exits with %d', async (signal, code) => {
  const answers = statesOf(
    RUNNING,
    ({ stop, signal: over }: { stop: (by: StopSignal) => void; signal: AbortSignal }) => {
      stop(signal);
      throw over.reason;
    },
  );
  const ended = { code, stderr: 'RUNNING: It is running.\npromptq: interrupted; job j continues\n' };
  expect(await promptq(['wait', 'j'], answers)).toMatchObject(ended);
  expect(await promptq(['wait', 'j', '--on-interrupt', 'detach'], answers)).toMatchObject(ended);
});

it.each<[string, Answers[string], number, string]>([
  ['is cancelled', jobIn('CANCELLED', 'cancelled'), 130, 'promptq: interrupted; job j is cancelled\n'],
  ['is being cancelled', jobIn('RUNNING', 'cancelling'), 130, 'promptq: interrupted; job j is being cancelled\n'],
  ['had ended', refused(400, 'cancel: it has ended'), 130, 'promptq: interrupted; job j had ended\n'],
  ['is gone', refused(404, 'gone'), 4, 'promptq: gone\n'],
  ['may not be cancelled', refused(403, 'forbidden'), 5, `${MAY_RUN}promptq: forbidden\n`],
])('cancels the job at a signal if asked to, and says that it %s', async (_, answer, code, reported) => {
  const answers = {
    ...statesOf(RUNNING, ({ stop, signal }: { stop: (by: StopSignal) => void; signal: AbortSignal }) => {
      stop('SIGINT');
      throw signal.reason;
    }),
    'POST /jobs/j/cancel': answer,
  };
  const ended = await promptq(['wait', 'j', '--on-interrupt', 'cancel'], answers);
  expect(ended).toMatchObject({ code, stderr: `RUNNING: It is running.\n${reported}` });
});
