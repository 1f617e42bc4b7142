import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { REASONS } from '../../../lib/contract/schemas/jobs/job-state.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { WITHOUT_SCHEMAS } from '../without-package.ts';
import { startPromptq, startTerminal } from './promptq-command.ts';
import { type Answer, startStandIn } from './stand-in.ts';

const FORBIDDEN = { status: 403, body: { error: 'forbidden', details: { required_scope: 'logs' } } };

/** A job in a state, as `GET /jobs/{id}/status` and `GET /jobs/{id}/result` return it. */
function job(status: string, code: keyof typeof REASONS) {
  const terminal = ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status);
  const outcome = { duration_ms: null, exit_code: null, signal: null, error: null, final_message: null };
  return {
    id: 'job_1',
    status,
    state_reason: { code, ...REASONS[code] },
    attempt: 1,
    terminal,
    ...outcome,
    agent: 'shell',
  };
}

/** Answers of a service with one job. @param state of the job at a request for its status */
function serviceOf(
  state: (request: string) => unknown,
  others: Readonly<Record<string, () => Answer | Promise<Answer>>> = {},
) {
  return async (request: string) => {
    const [, other] = Object.entries(others).find(([start]) => request.startsWith(start)) ?? [];
    if (other !== undefined) return await other();
    if (request === 'GET /session') return { body: { kind: 'user' } };
    if (request === 'POST /jobs') return { body: { id: 'job_1', url: null } };
    return { body: await state(request) };
  };
}

test.each([
  [['wait', 'job_1']],
  [['run', 'x', '--idempotency-key', 'k']],
  [['run', 'x', '--idempotency-key', 'k', '--follow']],
  [['logs', '-f', 'job_1']],
  [['logs', '-f', 'job_1', '--json']],
])('7: %j of a draft ends without loading schemas, and names the command that queues it', async (args) => {
  const { env } = await startStandIn(serviceOf(() => job('DRAFT', 'draft')));
  const { code, stderr } = await startPromptq(args, { env: { ...env, ...WITHOUT_SCHEMAS } }).ended;
  expect([code, stderr]).toEqual([7, expect.stringContaining('`promptq submit job_1` queues it')]);
});

test('7: a job that waits for an answer ends the wait, with the command that answers this question', async () => {
  const items = [
    { id: 'q_2', state: 'open' },
    { id: 'q_1', state: 'answered' },
  ];
  const questions = { 'GET /jobs/job_1/questions': () => ({ body: { items } }) };
  const { env } = await startStandIn(serviceOf(() => job('QUEUED', 'question'), questions));
  const { code, stderr } = await startPromptq(['wait', 'job_1'], { env }).ended;
  expect([code, stderr]).toEqual([7, expect.stringContaining('`promptq answer job_1 --question q_2 ANSWER`')]);
});

test('7: so does one whose questions the token may not read', async () => {
  const questions = { 'GET /jobs/job_1/questions': () => FORBIDDEN };
  const { env } = await startStandIn(serviceOf(() => job('QUEUED', 'question'), questions));
  const { code, stderr } = await startPromptq(['wait', 'job_1'], { env }).ended;
  expect([code, stderr]).toEqual([7, expect.stringContaining('`promptq questions job_1` shows it')]);
});

test.each([[['wait', 'job_1']], [['run', 'x', '--raw', '--follow']]])(
  '6: %j names the job that may still run when the service is gone',
  async (args) => {
    const never = new Promise<Answer>(() => undefined);
    const state = (request: string) => (request.includes('wait=') ? never : job('RUNNING', 'running'));
    const { env, requests, stop } = await startStandIn(serviceOf(state, { 'GET /jobs/job_1/logs': () => never }));
    const running = startPromptq(args, { env });
    await waitFor(() => requests.some((request) => request.includes('wait=')));
    await stop();
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([
      6,
      expect.stringMatching(/job_1 may still run; `promptq wait job_1`[\s\S]*can't reach/),
    ]);
  },
);

test.each([
  ['--follow', 0],
  ['--wait', 5],
])(
  "the end of a job is reported although its result can't be read: run %s has the exit code %d",
  async (mode, code) => {
    const end = { attempt: 1, status: 'SUCCEEDED', state_reason: REASONS.exited };
    const output = `data: {"attempt":1,"stream":"stdout","text":"all of it\\n","offset":0}\n\n`;
    const logs = { body: `${output}event: end\ndata: ${JSON.stringify(end)}\n\n` };
    const others = { 'GET /jobs/job_1/logs': () => logs, 'GET /jobs/job_1/result': () => FORBIDDEN };
    const { env } = await startStandIn(serviceOf(() => job('SUCCEEDED', 'exited'), others));
    const ended = await startPromptq(['run', 'x', '--raw', mode], { env }).ended;
    expect(ended).toMatchObject({ code, stdout: mode === '--follow' ? 'all of it\n' : '' });
    expect(ended.stderr).toMatch(/SUCCEEDED: The process ended\. `promptq result job_1`[\s\S]*lacks the scope logs/);
  },
);

describe('a signal', () => {
  const CANCEL = 'POST /jobs/job_1/cancel';
  /** A running job whose next state, and the answer to a cancel, come when the test says so. */
  const runningJob = async (others: Parameters<typeof serviceOf>[1] = {}) => {
    const next = Promise.withResolvers<unknown>();
    const cancelled = Promise.withResolvers<unknown>();
    const state = (request: string) => (request.includes('wait=') ? next.promise : job('RUNNING', 'running'));
    return {
      ...(await startStandIn(
        serviceOf(state, { [CANCEL]: async () => ({ body: await cancelled.promise }), ...others }),
      )),
      next,
      cancelled,
    };
  };

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s detaches from the job, or cancels it if asked to, even if it is sent twice', async (signal, code) => {
    const { env, requests, cancelled } = await runningJob();
    const detaching = startPromptq(['wait', 'job_1'], { env });
    await detaching.reports('RUNNING');
    detaching.interrupt(signal);
    expect(await detaching.ended).toMatchObject({ code, stderr: expect.stringContaining('job job_1 continues') });
    const cancelling = startPromptq(['wait', 'job_1', '--on-interrupt', 'cancel'], { env });
    await cancelling.reports('RUNNING');
    expect(requests).not.toContain(CANCEL);
    cancelling.interrupt(signal);
    await waitFor(() => requests.includes(CANCEL));
    cancelling.interrupt(signal);
    cancelled.resolve(job('CANCELLED', 'cancelled_by_request'));
    expect(await cancelling.ended).toMatchObject({ code, stderr: expect.stringContaining('job job_1 is cancelled') });
  });

  test('while the job is created says which key makes another try safe, and ends the command when it is repeated', async () => {
    const keys: string[] = [];
    const { env, requests } = await startStandIn(async (request, body) => {
      if (request === 'GET /session') return { body: { kind: 'user' } };
      keys.push(JSON.parse(body).idempotency_key);
      return await new Promise<Answer>(() => undefined);
    });
    const running = startPromptq(['run', 'x'], { env });
    await waitFor(() => requests.includes('POST /jobs') && keys.length > 0);
    running.interrupt();
    await running.reports(`the idempotency key ${keys[0]}`);
    running.interrupt();
    expect(await running.ended).toMatchObject({ code: null });
  });

  test('that is to cancel a job that has ended meanwhile says so', async () => {
    const ended = { status: 400, body: { error: "cancel: a job in state SUCCEEDED can't be cancelled" } };
    const { env, requests } = await runningJob({ [CANCEL]: () => ended });
    const running = startPromptq(['wait', 'job_1', '--on-interrupt', 'cancel'], { env });
    await running.reports('RUNNING');
    await waitFor(() => requests.some((request) => request.includes('wait=')));
    running.interrupt();
    expect(await running.ended).toMatchObject({ code: 130, stderr: expect.stringContaining('job job_1 had ended') });
  });

  test('that is to cancel a job and is refused does not say that the job had ended', async () => {
    const { env, requests } = await runningJob({ [CANCEL]: () => ({ status: 403, body: { error: 'forbidden' } }) });
    const running = startPromptq(['wait', 'job_1', '--on-interrupt', 'cancel'], { env });
    await running.reports('RUNNING');
    await waitFor(() => requests.some((request) => request.includes('wait=')));
    running.interrupt();
    const { stderr } = await running.ended;
    expect(stderr).toContain('forbidden');
    expect(stderr).not.toContain('had ended');
  });

  test.each([
    ['its signal', []],
    ['what can no longer be written', ['setsid', '--wait']],
  ])('a closed terminal cancels the job if asked to, by %s', async (_, within) => {
    const { env, requests, next, cancelled } = await runningJob();
    const terminal = startTerminal(['wait', 'job_1', '--on-interrupt', 'cancel'], env, within);
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk));
    await waitFor(() => shown.includes('RUNNING') && requests.some((request) => request.includes('wait=')));
    const closed = once(terminal, 'exit');
    terminal.kill('SIGKILL');
    await closed;
    next.resolve(job('RUNNING', 'cancelling'));
    await waitFor(() => requests.includes(CANCEL));
    cancelled.resolve(job('CANCELLED', 'cancelled_by_request'));
  });

  test.each([
    ['detaches from the job', 'detach', ['stdout'], /job job_1 continues/],
    ['cancels the job if asked to, although nothing can be reported', 'cancel', ['stdout', 'stderr'], /^/],
  ] as const)('141: a reader of its output that leaves %s', async (_, onInterrupt, left, reported) => {
    const output = Promise.withResolvers<Answer>();
    const { env, requests, cancelled } = await runningJob({ 'GET /jobs/job_1/logs': () => output.promise });
    const running = startPromptq(['run', 'x', '--raw', '--follow', '--on-interrupt', onInterrupt], { env });
    await running.reports('RUNNING');
    await waitFor(() => requests.some((request) => request.startsWith('GET /jobs/job_1/logs')));
    for (const stream of left) running.stopReading(stream);
    output.resolve({ body: `data: {"attempt":1,"stream":"stdout","text":"some\\n","offset":0}\n\n` });
    if (onInterrupt === 'cancel') await waitFor(() => requests.includes(CANCEL));
    cancelled.resolve(job('CANCELLED', 'cancelled_by_request'));
    expect(await running.ended).toMatchObject({ code: 141, stderr: expect.stringMatching(reported) });
  });
});
