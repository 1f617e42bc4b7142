import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Answers, commandLine, temporaryFolder } from '../command-line.ts';
import { events, jobIn, piece, statesOf } from '../job-answers.ts';

const promptq = commandLine();
const folder = temporaryFolder();
const CREATED = { id: 'j', url: null };
const PERSON = { kind: 'user' };
const KEY = ['--idempotency-key', 'k'];
const SUCCEEDED = jobIn('SUCCEEDED', 'exited');
const SUMMARY = 'SUCCEEDED (attempt 1, 1.0 s)\n';
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

  it.each([
    ['without a prompt', ['run'], 'give a prompt, --file, or --template'],
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
});
