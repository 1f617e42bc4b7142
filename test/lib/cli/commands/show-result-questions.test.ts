import { expect, it } from 'vitest';
import { commandLine, refused } from '../command-line.ts';
import { events, jobIn, piece } from '../job-answers.ts';

const promptq = commandLine();

const JOB = jobIn('SUCCEEDED', 'exited', {
  ...{
    title: null,
    project: 'p',
    profile: 'q',
    model: 'm',
    model_used: null,
    cwd: null,
    tags: [],
    prompt: 'do\u0007 it',
  },
  ...{ created_at: 'then', created_by: 'me', started_at: null, finished_at: null, total_usage: null, changes: null },
  ...{ parent_id: null, follow_up_ids: [], deployments: [], warnings: [] },
});

it('shows what is known of a job, and its prompt', async () => {
  expect(await promptq(['show', 'j'], { 'GET /jobs/j': JOB })).toMatchObject({
    code: 0,
    stdout: [
      'id       j',
      'status   SUCCEEDED: It is exited.',
      'project  p',
      'profile  q',
      'model    m',
      'attempt  1',
      'created  then by me',
      '',
      'do␇ it',
      '',
    ].join('\n'),
  });
  const full = {
    ...JOB,
    state_reason: { ...JOB.state_reason, next_check_at: 'soon' },
    ...{ title: 't', model_used: 'other', cwd: 'c', tags: ['a', 'b'], started_at: 's', finished_at: 'f', exit_code: 0 },
    ...{ signal: 'SIGTERM', error: 'e', total_usage: { input_tokens: 1, output_tokens: 2 }, parent_id: 'k' },
    ...{
      changes: { files: 1, insertions: 2, deletions: 3, truncated: true, masked: true },
      follow_up_ids: ['l', 'n'],
      warnings: ['v', 'w'],
    },
    deployments: [
      { name: 'd', state: 'done' },
      { name: 'g', state: 'failed' },
    ],
  };
  const { stdout } = await promptq(['show', 'j'], { 'GET /jobs/j': full });
  const values = Object.fromEntries(stdout.split('\n').map((line) => line.split(/ {2,}/)));
  expect(values).toMatchObject({
    ...{ 'next check': 'soon', title: 't', model: 'other', folder: 'c', tags: 'a, b', started: 's', finished: 'f' },
    ...{
      'exit code': '0',
      signal: 'SIGTERM',
      error: 'e',
      tokens: '1 in, 2 out',
      changes: '1 files, +2 -3; the diff is cut; secrets in the diff are masked',
    },
    ...{ parent: 'k', 'follow-ups': 'l, n', deployments: 'd done, g failed', warnings: 'v; w' },
  });
  const { code, stdout: json } = await promptq(['show', 'j', '--json'], { 'GET /jobs/j': full });
  expect([code, JSON.parse(json)]).toEqual([0, full]);
});

it('prints the answer of a job or of an attempt, how it ended, and all of it as JSON', async () => {
  const result = jobIn('FAILED', 'exited', { attempt: 2, final_message: 'No' });
  const summary = 'FAILED: It is exited. (attempt 2, 1.0 s)\n';
  const newest = await promptq(['result', 'j'], { 'GET /jobs/j/result': result });
  expect(newest).toMatchObject({ code: 0, stdout: 'No\n', stderr: summary });
  const ofAttempt = await promptq(['result', 'j', '--attempt', '2'], {
    'GET /jobs/j/result?attempt=2': { ...result, final_message: null },
    'GET /jobs/j/logs?follow=1&stream=all&attempt=2': events(piece('out', { attempt: 2 }), { ...result, attempt: 2 }),
  });
  expect(ofAttempt).toMatchObject({ code: 0, stdout: 'out', stderr: summary });
  const json = await promptq(['result', 'j', '--json'], { 'GET /jobs/j/result?full=1': result });
  expect([json.code, JSON.parse(json.stdout), json.stderr]).toEqual([0, result, '']);
});

const question = (id: string, state: string, more: object = {}) => ({
  ...{ job_id: 'j', id, state, question: 'Which?', options: [], default: null, deadline: null },
  ...{ answer: null, answered_by: null },
  ...more,
});
const OPEN = question('q2', 'open', { options: ['a', 'b'], default: 'a', deadline: 'soon' });
const ANSWERED = question('q1', 'answered', { answer: 'b', answered_by: 'me' });
const fields = ({ stdout }: { readonly stdout: string }) =>
  stdout.split('\n\n').map((block) =>
    Object.fromEntries(
      block
        .trim()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ),
  );

it('shows the questions of a job, and how to answer an open one', async () => {
  const answers = { 'GET /jobs/j/questions': { items: [OPEN, ANSWERED] } };
  const ended = await promptq(['questions', 'j'], answers);
  expect([ended.code, fields(ended)]).toEqual([
    0,
    [
      {
        ...{ job: 'j', id: 'q2', state: 'open', question: 'Which?', options: 'a | b', default: 'a', deadline: 'soon' },
        command: 'promptq answer j --question q2 ANSWER',
      },
      { job: 'j', id: 'q1', state: 'answered', question: 'Which?', answer: 'b', 'answered by': 'me' },
    ],
  ]);
  const { stdout } = await promptq(['questions', 'j', '--json'], answers);
  expect(JSON.parse(stdout)).toEqual({ items: [OPEN, ANSWERED] });
  const none = await promptq(['questions', 'j'], { 'GET /jobs/j/questions': { items: [] } });
  expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'no questions\n' });
});

it('shows the open questions of all jobs that wait for an answer, the oldest first', async () => {
  const waiting = 'GET /jobs?needs=answer&order=oldest&limit=100';
  const ended = await promptq(['questions'], {
    [waiting]: { items: [{ id: 'j' }], next_cursor: 'n' },
    [`${waiting}&cursor=n`]: { items: [{ id: 'k' }], next_cursor: null },
    'GET /jobs/j/questions': { items: [OPEN, ANSWERED] },
    'GET /jobs/k/questions': { items: [{ ...OPEN, job_id: 'k' }] },
  });
  expect([ended.code, fields(ended).map(({ job, id }) => [job, id])]).toEqual([
    0,
    [
      ['j', 'q2'],
      ['k', 'q2'],
    ],
  ]);
});

it('ends with 4 at a job that is not there', async () => {
  for (const [command, path] of [
    ['show', ''],
    ['result', '/result'],
    ['questions', '/questions'],
  ] as const) {
    const ended = await promptq([command, 'j'], { [`GET /jobs/j${path}`]: refused(404, 'job_not_found') });
    expect(ended).toMatchObject({ code: 4, stdout: '', stderr: 'promptq: job_not_found: no job has this id\n' });
  }
});
