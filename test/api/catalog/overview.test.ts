import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '3' } });
  for (const [prompt, project] of [
    ['sleep 0.3', 'alpha'],
    ['exit 1', 'alpha'],
    ['true', 'Project Beta'],
  ] as const)
    await untilEnded(service, await createJob(service, { prompt, project, profile: 'shell' }));
  await createJob(service, { prompt: 'true', project: 'alpha', draft: true });
  await untilEnded(service, await createJob(service, { prompt: 'Say hello.' }));
});
afterAll(async () => {
  await service.stop();
});

/** Counters lag a moment behind. */
async function stats() {
  return await waitFor(async () => {
    const { json } = await service.api('GET', '/stats');
    return json.statuses.SUCCEEDED === 3 && json.tokens.by_model.length > 0 && json;
  });
}

it('stats show outcomes, waiting times, durations and usage of jobs', async () => {
  const { jobs, tokens, projects, statuses } = await stats();
  expect(statuses).toMatchObject({ SUCCEEDED: 3, FAILED: 1, DRAFT: 1, QUEUED: 0, RUNNING: 0, CANCELLED: 0 });
  expect(jobs.total).toBe(5);
  expect(jobs.by_day).toHaveLength(30);
  expect(jobs.by_day.at(-1)).toMatchObject({ succeeded: 3, failed: 1, cancelled: 0, success_rate: 0.75 });
  expect(jobs.last_30_days).toMatchObject({ duration_ms: { count: 4 }, queue_wait_ms: { count: 4 } });
  expect(jobs.last_30_days.duration_ms.p95).toBeGreaterThanOrEqual(250);
  expect(tokens.last_30_days.input_tokens).toBeGreaterThan(0);
  expect(tokens.by_day.at(-1).input_tokens).toBe(tokens.last_30_days.input_tokens);
  expect(tokens.by_model).toEqual([
    expect.objectContaining({ model: expect.stringMatching(/^gpt-/), input_tokens: tokens.last_30_days.input_tokens }),
  ]);
  expect(projects.items.map(({ id }: { id: string }) => id)).toContain('alpha');
});

it('a job that is retried no longer counts as ended', async () => {
  const before = await stats();
  const { json } = await service.api('GET', '/jobs?status=FAILED');
  const id = json.items[0].id;
  await service.api('POST', `/jobs/${id}/retry`);
  await untilEnded(service, id);
  // Changes are counted in order: what came before this one has been counted once this one is.
  const marker = await createJob(service, { prompt: 'true', project: 'marker', draft: true });
  await service.api('POST', `/jobs/${marker}/cancel`);
  await waitFor(async () => (await service.api('GET', '/stats')).json.statuses.CANCELLED === 1);
  expect((await stats()).jobs.by_day.at(-1).failed).toBe(before.jobs.by_day.at(-1).failed);
});

it('projects include the counts of their jobs', async () => {
  await stats();
  const { json } = await service.api('GET', '/projects');
  const alpha = json.items.find(({ id }: { id: string }) => id === 'alpha');
  expect(alpha).toEqual({
    id: 'alpha',
    name: 'alpha',
    workspace: `${service.home}/workspaces/alpha`,
    created_at: expect.any(String),
    last_activity_at: expect.any(String),
    job_counts: { DRAFT: 1, QUEUED: 0, RUNNING: 0, SUCCEEDED: 1, FAILED: 1, CANCELLED: 0 },
    repository: null,
    ref: null,
    setup: null,
    secret: null,
    exclusive_cwd: false,
  });
  expect(alpha.last_activity_at > alpha.created_at).toBe(true);
  const pages = (await service.api('GET', '/projects?limit=1')).json;
  expect([pages.items.length, typeof pages.next_cursor]).toEqual([1, 'string']);
});

it('projects include the stored settings of their jobs', async () => {
  const settings = {
    repository: 'https://git.example.com/team/app.git',
    ref: 'main',
    setup: 'npm ci',
    secret: 'GIT_TOKEN',
    exclusive_cwd: true,
  };
  await service.api('PATCH', '/projects/alpha', settings);
  const alpha = async () =>
    (await service.api('GET', '/projects')).json.items.find(({ id }: { id: string }) => id === 'alpha');
  expect(await alpha()).toMatchObject(settings);
  await service.api('PATCH', '/projects/alpha', { ref: '', exclusive_cwd: false });
  expect(await alpha()).toMatchObject({ ...settings, ref: null, exclusive_cwd: false });
});

it('a project is created with its settings on request, and a folder as its repository must be open to jobs', async () => {
  const edit = async (query: string, body: object) => await service.api('PATCH', `/projects/before-jobs${query}`, body);
  expect((await edit('', { exclusive_cwd: true })).status).toBe(404);
  const closed = await edit('?create=1', { repository: '/etc' });
  expect([closed.status, closed.json.error]).toEqual([
    400,
    expect.stringMatching(
      /^body\.repository: a folder must lie under one of .*; start the service with --allow FOLDER/,
    ),
  ]);
  // What was refused has created nothing.
  expect((await edit('', {})).status).toBe(404);
  const open = { repository: `file://${service.home}`, exclusive_cwd: true };
  expect(await edit('?create=1', open)).toMatchObject({ status: 200, json: { id: 'before-jobs', ...open } });
  expect((await edit('', { exclusive_cwd: false })).json).toMatchObject({ ...open, exclusive_cwd: false });
  expect((await service.api('PATCH', '/projects/a%E2%80%AEb?create=1', {})).status).toBe(404);
  await service.api('DELETE', '/projects/before-jobs');
});

it('the environment shows hosts, service, profiles, models, projects, jobs and tokens', async () => {
  // Workers report their jobs every 15 s; counters lag a moment behind.
  const json = await waitFor(async () => {
    const answer = await service.api('GET', '/environment');
    expect(answer.json).toMatchObject({
      hosts: [
        {
          slots: 3,
          running_job_ids: [],
          cpu: { count: expect.any(Number) },
          memory: { total_bytes: expect.any(Number), free_bytes: expect.any(Number) },
          storage: { total_bytes: expect.any(Number), free_bytes: expect.any(Number) },
        },
      ],
      service: {
        region: 'local',
        timeout_unit: 'seconds',
        default_profile: 'practice',
        limits: { retries: { max: 100 } },
      },
      jobs: { SUCCEEDED: 3, DRAFT: 1 },
      projects: { more: false },
      token_usage: { today: { input_tokens: expect.any(Number) } },
    });
    return answer.json;
  });
  expect(json.profiles.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['claude', 'codex', 'practice', 'shell']),
  );
});
