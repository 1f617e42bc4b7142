import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StopSignal } from '../../../../lib/cli/base/exit-codes.ts';
import { type Answers, commandLine, refused, temporaryFolder } from '../command-line.ts';
import { events, held, jobIn, piece, statesOf } from '../job-answers.ts';

const promptq = commandLine();
const folder = temporaryFolder();
const CREATED = { id: 'j', url: null };
const PERSON = { kind: 'user' };
const KEY = ['--idempotency-key', 'k'];
const SUCCEEDED = jobIn('SUCCEEDED', 'exited');
const SUMMARY = 'SUCCEEDED: It is exited. (attempt 1, 1.0 s)\n';
const RESULT = 'GET /jobs/j/result';
const FOLLOWED = 'GET /jobs/j/logs?follow=1&stream=all&attempt=1';
const END = { attempt: 1, status: 'SUCCEEDED', state_reason: SUCCEEDED.state_reason };

/** The answers for a job that ends in a state. */
const runs = (end: object = SUCCEEDED): Answers => ({
  'GET /session': PERSON,
  'POST /jobs': CREATED,
  ...statesOf(end),
  [RESULT]: end,
});
const created = (requests: readonly string[]) =>
  requests.flatMap((request) => (request.startsWith('POST /jobs {') ? [JSON.parse(request.slice(11))] : []));

describe('the job that is created', () => {
  it.each<[string, string[], object]>([
    ['of run', ['run', 'x'], { prompt: 'x' }],
    ['of a draft', ['run', 'x', '--draft'], { prompt: 'x', draft: true }],
    ['of continue', ['continue', 'j', 'x'], { prompt: 'x', continue: 'j' }],
    [
      'of continue with its options',
      ['continue', 'j', 'x', '--after', 'any', '--fresh-folder'],
      { prompt: 'x', continue: 'j', continue_after: 'any', fresh_folder: true },
    ],
    ['of fork', ['fork', 'j', 'x'], { prompt: 'x', fork: 'j' }],
    [
      'of every option of a job',
      [
        ...['run', 'x', '--profile', 'p', '--model', 'm', '--project', 'q', '--cwd', 'c', '--title', 't'],
        ...['--tag', 'a', '--tag', 'b', '--rule', 'r', '--rule', 's', '--extra-prompt', 'e', '--priority', '-1.5'],
        ...['--retries', '2', '--attempt-timeout', '3'],
      ],
      {
        ...{ prompt: 'x', profile: 'p', model: 'm', project: 'q', cwd: 'c', title: 't', tags: ['a', 'b'] },
        ...{ rule_ids: ['r', 's'], extra_prompt: 'e', priority: -1.5, retries: 2, timeout: 3 },
      },
    ],
  ])('has the fields %s', async (_, args, fields) => {
    const { code, requests } = await promptq([...args, '--detach', ...KEY], runs());
    expect([code, created(requests)]).toEqual([0, [{ ...fields, idempotency_key: 'k' }]]);
  });

  it('has the prompt of a file or of stdin, and another key each time', async () => {
    const file = join(folder, 'prompt');
    writeFileSync(file, 'from a file');
    const ofFile = await promptq(['run', '--file', file, '--detach'], runs());
    const ofStdin = await promptq(['run', '-f', '-', '--detach'], runs(), { stdin: 'from stdin' });
    const [first, second] = [...created(ofFile.requests), ...created(ofStdin.requests)];
    expect([first.prompt, second.prompt]).toEqual(['from a file', 'from stdin']);
    expect(first.idempotency_key).toMatch(/^[\da-f-]{36}$/);
    expect(second.idempotency_key).not.toBe(first.idempotency_key);
  });

  it.each([
    ['without a prompt', ['run'], 'give a prompt, or --file'],
    ['with two prompts', ['run', 'x', '--file', 'y'], 'give the prompt or --file, not both'],
    ['of a file that is not there', ['run', '--file', join(folder, 'none')], "can't read the prompt: ENOENT"],
  ])('is refused %s', async (_, args, message) => {
    const { code, stderr, requests } = await promptq(args, runs());
    expect([code, stderr.startsWith(`promptq: ${message}`), requests]).toEqual([2, true, []]);
  });

  it.each([
    ['needs only the scope to write if nothing waits for it', ['--detach'], ['write'], 0, ''],
    ['so does a draft', ['--draft'], ['write'], 0, ''],
    ['needs more if the command waits', [], ['write'], 5, 'scopes read, logs'],
    ['needs the scope to write', ['--detach'], ['read'], 5, 'scope write'],
    ['so does one that the command waits for', [], ['read', 'logs'], 5, 'scope write'],
  ])('%s', async (_, options, scopes, code, lack) => {
    const token = { kind: 'token', scopes_enforced: true, scopes };
    const ended = await promptq(['run', 'x', ...options], { ...runs(), 'GET /session': token });
    expect([ended.code, created(ended.requests).length]).toEqual([code, code === 0 ? 1 : 0]);
    expect(ended.stderr).toBe(lack === '' ? '' : `promptq: the token lacks the ${lack}; nothing was created\n`);
  });

  it.each([
    ['may not even read itself', refused(403, 'forbidden'), 'the token lacks the scope read; nothing was created'],
    ['is not valid', refused(401, 'unauthorized'), 'the service does not accept the token of PROMPTQ_TOKEN'],
  ])('is refused to a token that %s', async (_, answer, message) => {
    const ended = await promptq(['run', 'x'], { ...runs(), 'GET /session': answer });
    expect(ended).toMatchObject({ code: 5, stderr: `promptq: ${message}\n`, requests: ['GET /session'] });
  });
});

it('prints only the id of a job that it does not wait for, or what was created as JSON', async () => {
  expect(await promptq(['run', 'x', '--detach'], runs())).toMatchObject({ code: 0, stdout: 'j\n', stderr: '' });
  const { code, stdout } = await promptq(['run', 'x', '--draft', '--json'], runs());
  expect([code, JSON.parse(stdout)]).toEqual([0, CREATED]);
});

describe('the end of the job', () => {
  it.each<[string, object, Answers, string, string]>([
    ['its final message', { final_message: 'Hello' }, {}, 'Hello\n', ''],
    ['one that ends a line', { final_message: 'Hello\n' }, {}, 'Hello\n', ''],
    [
      'or else the output of its last attempt',
      {},
      { [FOLLOWED]: events(piece('out'), { ...END, status: 'QUEUED' }) },
      'out',
      '',
    ],
    ['nothing of a job without an attempt', { attempt: 0 }, {}, '', ''],
    [
      'the output if its message is not known',
      { receipt_state: 'missing' },
      { [FOLLOWED]: events(piece('out'), END) },
      'out',
      'the record of the attempt is missing: its final message is unknown\n',
    ],
  ])('prints %s', async (_, more, others, stdout, notes) => {
    const end = { ...SUCCEEDED, ...more };
    const ended = await promptq(['run', 'x', ...KEY], { ...runs(end), ...others });
    const summary = SUMMARY.replace('attempt 1', `attempt ${end.attempt}`);
    expect(ended).toMatchObject({ code: 0, stdout, stderr: `job j\n${notes}${summary}` });
  });

  it('is the exit code, below the address of the job', async () => {
    const failed = jobIn('FAILED', 'exited', { final_message: 'No' });
    const url = 'https://promptq.example.com/jobs/j';
    expect(await promptq(['run', 'x'], { ...runs(failed), 'POST /jobs': { ...CREATED, url } })).toMatchObject({
      code: 1,
      stderr: `job j ${url}\nFAILED: It is exited. (attempt 1, 1.0 s)\n`,
    });
  });

  it('is the whole result as JSON', async () => {
    const answers = { ...runs(), [`${RESULT}?full=1`]: { ...SUCCEEDED, stdout: 'all' }, [RESULT]: refused(400, 'no') };
    const { code, stdout, stderr } = await promptq(['run', 'x', '--json'], answers);
    expect([code, JSON.parse(stdout), stderr]).toEqual([0, { ...SUCCEEDED, stdout: 'all' }, `job j\n${SUMMARY}`]);
  });

  it('is reported even if its result may not be read', async () => {
    const answers = { ...runs(), [RESULT]: refused(403, 'forbidden'), [FOLLOWED]: events(piece('out'), END) };
    const told = 'job j\nSUCCEEDED: It is exited. `promptq result j` prints the rest\n';
    const waited = await promptq(['run', 'x'], answers);
    expect(waited).toMatchObject({ code: 5, stdout: '', stderr: `${told}promptq: forbidden\n` });
    const followed = await promptq(['run', 'x', '--raw', '--follow'], answers);
    expect(followed).toMatchObject({ code: 0, stdout: 'out', stderr: `${told}forbidden\n` });
  });
});

describe('--follow', () => {
  const SESSION = '{"type":"thread.started","thread_id":"T"}\n';
  const output = events(piece(SESSION), END);

  it.each([
    ['as a timeline', [], 'codex', 'Session T\n'],
    ['as it is if a script wrote it', [], 'shell', SESSION],
    ['as it is if asked to', ['--raw'], 'codex', SESSION],
  ])('prints the output %s, and no answer', async (_, options, agent, stdout) => {
    const answers = { ...runs({ ...SUCCEEDED, agent, final_message: 'Hello' }), [FOLLOWED]: output };
    expect(await promptq(['run', 'x', '--follow', ...options], answers)).toMatchObject({
      code: 0,
      stdout,
      stderr: `job j\n${SUMMARY}`,
    });
  });

  it('prints events as JSON and nothing else, with the exit code of the job', async () => {
    const failed = { ...END, status: 'FAILED' };
    const answers = { ...runs(jobIn('FAILED', 'exited')), [FOLLOWED]: events(piece('out'), failed) };
    const { code, stdout, stderr, requests } = await promptq(['run', 'x', '--follow', '--json'], answers);
    const lines = stdout.trim().split('\n');
    expect([code, stderr, lines.map((line) => JSON.parse(line).type)]).toEqual([1, 'job j\n', ['output', 'end']]);
    expect(requests.some((request) => request.startsWith(RESULT))).toBe(false);
  });

  it('ends with the fault of the output, and says that the job may still run', async () => {
    const running = statesOf(jobIn('RUNNING', 'running'), held);
    const answers = { ...runs(), ...running, [FOLLOWED]: refused(403, 'forbidden') };
    const { code, stderr } = await promptq(['run', 'x', '--raw', '--follow'], answers);
    expect([code, stderr.split('\n').slice(-3)]).toEqual([
      5,
      ['job j may still run; `promptq wait j` waits for its end', 'promptq: forbidden', ''],
    ]);
  });
});

describe('a signal', () => {
  const interrupting = ({ stop, signal }: { stop: (by: StopSignal) => void; signal: AbortSignal }) => {
    stop('SIGINT');
    throw signal.reason;
  };

  it('before the service has answered does not end the request, but then the command', async () => {
    const answers = {
      ...runs(),
      'POST /jobs': ({ stop }: { stop: (by: StopSignal) => void }) => {
        stop('SIGTERM');
        stop('SIGTERM');
        return Response.json(CREATED);
      },
    };
    const ended = await promptq(['run', 'x', ...KEY], answers);
    expect(ended).toMatchObject({
      code: 143,
      stderr:
        'the service has not answered yet; Ctrl-C ends the command at once, and another run with the idempotency key k ' +
        'creates no second job\njob j\npromptq: interrupted; job j continues\n',
    });
    expect(ended.requests.map((request) => request.split(' {')[0])).toEqual(['GET /session', 'POST /jobs']);
  });

  it.each([[['--wait']], [['--follow', '--raw']]])('during %j ends all requests', async (options) => {
    const answers = { ...runs(), ...statesOf(jobIn('RUNNING', 'running'), interrupting), [FOLLOWED]: held };
    const ended = await promptq(['run', 'x', ...options], answers);
    expect(ended).toMatchObject({
      code: 130,
      stderr: 'job j\nRUNNING: It is running.\npromptq: interrupted; job j continues\n',
    });
  });
});
