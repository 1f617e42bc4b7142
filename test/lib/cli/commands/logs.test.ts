import { expect, it } from 'vitest';
import { type Answers, commandLine } from '../command-line.ts';
import { events, jobIn, piece } from '../job-answers.ts';

const promptq = commandLine();
const EVENT = '{"type":"thread.started","thread_id":"T"}\n';
const LOGS = { attempt: 2, status: 'RUNNING', stdout: EVENT, stderr: 'err\n' };
const RESULT = 'GET /jobs/j/result';
const CODEX = { [RESULT]: jobIn('RUNNING', 'running', { agent: 'codex' }) };
const END = { attempt: 2, status: 'SUCCEEDED', state_reason: { code: 'exited', message: '', retryable: false } };

it.each<[string, string[], string, Answers, string, string]>([
  ['as a timeline if an agent wrote it', [], 'stream=all', CODEX, 'Session T\n', ''],
  ['as it is if a script wrote it', [], 'stream=all', { [RESULT]: jobIn('RUNNING', 'running') }, EVENT, 'err\n'],
  ['as it is if asked to', ['--raw'], 'stream=all', {}, EVENT, 'err\n'],
  ['of stderr as it is', ['--stream', 'stderr'], 'stream=stderr', {}, EVENT, 'err\n'],
  ['of one stream as a timeline', ['--stream', 'stdout'], 'stream=stdout', CODEX, 'Session T\n', ''],
  ['of an attempt', ['--attempt', '2', '--raw'], 'stream=all&attempt=2', {}, EVENT, 'err\n'],
])('prints the output %s', async (_, options, query, others, stdout, stderr) => {
  const answers = { [`GET /jobs/j/logs?${query}`]: LOGS, ...others };
  expect(await promptq(['logs', 'j', ...options], answers)).toEqual({
    code: 0,
    stdout,
    stderr,
    requests: Object.keys(answers),
  });
});

const FOLLOWED = 'GET /jobs/j/logs?follow=1&stream=all';

it.each(['stdout_truncated', 'stderr_truncated'])('prints all of an output that is %s', async (part) => {
  const cut = { ...LOGS, [part]: true };
  const running = {
    'GET /jobs/j/logs?stream=all': cut,
    'GET /jobs/j/logs?stream=all&full=1': { ...LOGS, stdout: 'all' },
  };
  expect(await promptq(['logs', 'j', '--raw'], running)).toMatchObject({
    code: 0,
    stdout: 'all',
    requests: Object.keys(running),
  });
  // The output of a job that has ended, attempt by attempt: only the one that was asked for.
  const ended = {
    'GET /jobs/j/logs?stream=all': { ...cut, status: 'SUCCEEDED' },
    [`${FOLLOWED}&attempt=2`]: events(piece('all of it'), { ...END, status: 'QUEUED' }),
  };
  expect(await promptq(['logs', 'j', '--raw'], ended)).toMatchObject({
    code: 0,
    stdout: 'all of it',
    requests: Object.keys(ended),
  });
});

it.each<[string, string[], string, string]>([
  ['all attempts from the newest one as a timeline', [], '', 'Session T\nSession T\n'],
  ['them as they are', ['--raw'], '', EVENT + EVENT],
  ['one attempt', ['--attempt', '2'], '&attempt=2', 'Session T\n'],
])('follows %s', async (_, options, query, stdout) => {
  const answers = {
    ...CODEX,
    [`${FOLLOWED}${query}`]: events(piece(EVENT, { attempt: 2 }), { ...END, status: 'QUEUED' }),
    ...(query === '' && { [`${FOLLOWED}&attempt=3`]: events(piece(EVENT, { attempt: 3 }), { ...END, attempt: 3 }) }),
  };
  expect(await promptq(['logs', 'j', '-f', ...options], answers)).toEqual({
    code: 0,
    stdout,
    stderr: '',
    requests: Object.keys(answers),
  });
});

it('exits with 7 for a draft instead of following it', async () => {
  const { code, stderr } = await promptq(['logs', 'j', '-f'], { [RESULT]: jobIn('DRAFT', 'draft') });
  expect([code, stderr]).toEqual([7, expect.stringMatching(/^promptq: job j is a draft; /)]);
});
