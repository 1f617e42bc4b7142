import { expect, it } from 'vitest';
import { commandLine } from '../command-line.ts';
import { jobIn } from '../job-answers.ts';

const promptq = commandLine();
const threeDaysAgo = () => new Date(Date.now() - 3 * 86_400_000).toISOString();
const lines = ({ stdout }: { readonly stdout: string }) => stdout.split('\n').map((line) => line.split(/ {2,}/));

/** A job of a list. */
const listed = (status: string, code: string, more: object = {}) =>
  jobIn(status, code, { created_at: threeDaysAgo(), project: 'p', title: null, prompt_preview: 'x', ...more });
const LIST = { items: [] as object[], total: 2, total_complete: true, next_cursor: null as string | null };

it('lists jobs with what they wait for, if that is not a worker', async () => {
  const items = [
    listed('QUEUED', 'question', { title: 'a title' }),
    listed('QUEUED', 'waiting_for_worker'),
    listed('FAILED', 'exited'),
  ];
  const ended = await promptq(['list'], { 'GET /jobs?limit=20': { ...LIST, items } });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(lines(ended)).toEqual([
    ['ID', 'STATUS', 'AGE', 'PROJECT', 'TITLE'],
    ['j', 'QUEUED question', '3d', 'p', 'a title'],
    ['j', 'QUEUED', '3d', 'p', 'x'],
    ['j', 'FAILED', '3d', 'p', 'x'],
    [''],
  ]);
});

it.each([
  [true, '1 of 2; next page: --cursor c\n'],
  [false, '1 of 2 or more; next page: --cursor c\n'],
])('names the next page of jobs, whether all are counted or not: %j', async (total_complete, note) => {
  const page = { ...LIST, items: [listed('FAILED', 'exited')], total_complete, next_cursor: 'c' };
  expect((await promptq(['list'], { 'GET /jobs?limit=20': page })).stderr).toBe(note);
});

it('filters jobs by every option', async () => {
  const options = {
    ...{ status: 'FAILED', needs: 'answer', project: 'p', profile: 'q', agent: 'a', model: 'm', cwd: 'c', tag: 't' },
    ...{ thread: 'h', 'created-by': 'b', 'created-after': '1', 'created-before': '2', search: 's', order: 'oldest' },
    ...{ limit: '5', cursor: 'n' },
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const { limit, ...others } = options;
  const query = new URLSearchParams({ limit, ...others }).toString().replaceAll(/created-(?=\w+=)/g, 'created_');
  const { code, stdout, requests } = await promptq(['list', '--json', ...args], { [`GET /jobs?${query}`]: LIST });
  expect([code, stdout, requests.length]).toEqual([0, `${JSON.stringify(LIST)}\n`, 1]);
});

it.each([
  ['--status', 'DONE', "argument 'DONE' is invalid. Allowed choices are DRAFT, QUEUED"],
  ['--needs', 'rest', "argument 'rest' is invalid. Allowed choices are answer."],
  ['--order', 'random', "argument 'random' is invalid. Allowed choices are newest, oldest."],
  ['--limit', 'many', "argument 'many' is invalid. expected a number"],
])('refuses %s %s', async (option, value, message) => {
  const { code, stderr, requests } = await promptq(['list', option, value]);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain(message);
});

const profile = (name: string, more: object = {}) => ({
  ...{ name, agent: 'codex', model: 'm', timeout: 30, timeout_unit: 'minutes', is_default: false },
  ...more,
});

it('lists the profiles of all pages', async () => {
  const answers = {
    'GET /profiles?limit=100': { items: [profile('a', { is_default: true })], next_cursor: 'n' },
    'GET /profiles?limit=100&cursor=n': { items: [profile('b', { model: null, timeout: null })], next_cursor: null },
  };
  const ended = await promptq(['profiles'], answers);
  expect([ended.code, lines(ended)]).toEqual([
    0,
    [
      ['NAME', 'AGENT', 'MODEL', 'TIMEOUT'],
      ['a (default)', 'codex', 'm', '30 minutes'],
      ['b', 'codex', '-', '-'],
      [''],
    ],
  ]);
  const { stdout } = await promptq(['profiles', '--json'], answers);
  expect(JSON.parse(stdout)).toMatchObject({ items: [{ name: 'a' }, { name: 'b' }], next_cursor: null });
});

it('lists projects with their jobs', async () => {
  const project = (name: string, last_activity_at: string | null) => ({
    ...{ name, job_counts: { QUEUED: 1, RUNNING: 2, SUCCEEDED: 3, FAILED: 4 }, last_activity_at },
  });
  const list = { items: [project('a', threeDaysAgo()), project('b', null)], next_cursor: null };
  const answers = { 'GET /projects?limit=100': list };
  expect(lines(await promptq(['projects'], answers))).toEqual([
    ['NAME', 'QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'ACTIVE'],
    ['a', '1', '2', '3', '4', '3d'],
    ['b', '1', '2', '3', '4', '-'],
    [''],
  ]);
  const { code, stdout } = await promptq(['projects', '--json'], answers);
  expect([code, JSON.parse(stdout)]).toEqual([0, list]);
});
