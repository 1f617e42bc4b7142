import { expect, it } from 'vitest';
import { commandLine } from '../command-line.ts';

const promptq = commandLine();

const event = (id: string, type: string) => ({
  ...{
    id,
    type,
    time: '2026-11-29T01:00:00.000Z',
    job_id: 'job_a',
    sequence: 1,
    project_id: 'web',
    project: 'w\u001b[2J',
  },
  ...{ status: 'QUEUED', reason: 'claimed', attempt: 0, question: null, template: null, automation: null },
});
const page = (next_cursor: string, has_more: boolean, ...items: object[]) => ({
  ...{ items, next_cursor, has_more, missed: false },
});

it('prints events page by page, with filters', async () => {
  const { code, stdout } = await promptq(['events', '--job', 'job_a', '--after', '0-0'], {
    'GET /events?job=job_a&after=0-0&limit=500': page('1-1', true, event('1-1', 'job.created')),
    'GET /events?job=job_a&after=1-1&limit=500': page('3-0', false, event('2-1', 'attempt.started')),
  });
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^2026-11-29T01:00:00.000Z +job.created +job_a +attempt 0 +QUEUED \(claimed\) +w/),
    expect.stringContaining('attempt.started'),
    '',
  ]);
});

it('follows the feed from its end, as JSON lines, until it is stopped', async () => {
  const { stdout } = await promptq(['events', '--follow', '--json'], {
    'GET /events?after=end&wait=25&limit=500': page('5-0', false),
    'GET /events?after=5-0&wait=25&limit=500': page('6-0', false, event('5-1', 'job.created')),
    'GET /events?after=6-0&wait=25&limit=500': ({ stop }: { stop: (signal: 'SIGINT') => void }) => {
      stop('SIGINT');
      return Response.json(page('6-0', false));
    },
  });
  expect(JSON.parse(stdout)).toMatchObject({ id: '5-1', type: 'job.created' });
});
