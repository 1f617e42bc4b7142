import { expect, it } from 'vitest';
import { commandLine } from '../command-line.ts';
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

it('shows the fields and the prompt of a job', async () => {
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
  const deleted = { ...full, output_deleted_at: 'then', output_deleted_by: 'them', output_deleted_attempt: 1 };
  const lines = async (job: object) => (await promptq(['show', 'j'], { 'GET /jobs/j': job })).stdout.split('\n');
  expect(await lines(full)).toContainEqual(expect.stringMatching(/^files +promptq files j/));
  const shown = await lines(deleted);
  expect(shown).toContainEqual(expect.stringMatching(/^output +deleted then by them$/));
  expect(shown.filter((line) => line.startsWith('files'))).toEqual([]);
  const later = await lines({ ...deleted, attempt: 2 });
  expect(later).toContainEqual(expect.stringMatching(/^output +of earlier attempts deleted then by them$/));
  expect(later).toContainEqual(expect.stringMatching(/^files +promptq files j/));
  const { code, stdout: json } = await promptq(['show', 'j', '--json'], { 'GET /jobs/j': full });
  expect([code, JSON.parse(json)]).toEqual([0, full]);
});

it('prints the answer and the outcome of a job or an attempt, or all of it as JSON', async () => {
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
