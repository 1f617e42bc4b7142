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
