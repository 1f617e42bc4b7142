import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const nightly = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  trigger: { schedule: { cron: '30 2,14 * * *', timezone: 'America/New_York' } },
  job: { prompt: 'echo due {{due_at}} {{last_success_at}} {{timezone}} {{other}}', profile: 'shell' },
  ...more,
});

describe('an automation', () => {
  it('is made, shows its next instants, runs now, keeps its history, and is deleted', async () => {
    const created = await service.api('POST', '/automations', nightly('Nightly update', { project: 'nightly' }));
    expect(created.status, created.text).toBe(201);
    const { id } = created.json;
    expect(created.headers.get('location')).toBe(`/api/v1/automations/${id}`);
    expect(created.json).toMatchObject({
      name: 'Nightly update',
      project: 'nightly',
      overlap: 'skip',
      missed: 'latest',
      state: 'active',
      failures_in_row: 0,
      last_run: null,
    });
    expect(created.json.next_runs).toHaveLength(5);
    for (const { due_at, local } of created.json.next_runs) {
      expect(local).toMatch(/T(02|14):30:00-0[45]:00$/);
      expect(new Date(local).toISOString()).toBe(due_at);
    }
    const started = await service.api('POST', `/automations/${id}/run`);
    expect(started.status, started.text).toBe(201);
    const job = await waitFor(async () => {
      const { json } = await service.api('GET', `/jobs/${started.json.id}`);
      return json.status === 'SUCCEEDED' && json;
    });
    expect(job.project).toBe('nightly');
    const { json: first } = await service.api('GET', `/automations/${id}/runs`);
    expect(first.items).toEqual([
      expect.objectContaining({ trigger: 'manual', outcome: 'fired', job_id: job.id, job_status: 'SUCCEEDED' }),
    ]);
    expect(job.prompt).toBe(`echo due ${first.items[0].due_at} never America/New_York {{other}}`);
    // By name, as by id.
    const { json: read } = await service.api('GET', `/automations/${encodeURIComponent('Nightly update')}`);
    expect(read).toMatchObject({ id, last_success_at: job.finished_at, last_run: { job_id: job.id } });
    await service.api('POST', `/automations/${id}/run`);
    const { json: page } = await service.api('GET', `/automations/${id}/runs?limit=1`);
    const { json: rest } = await service.api('GET', `/automations/${id}/runs?limit=1&cursor=${page.next_cursor}`);
    expect(rest.items.map(({ job_id }: { job_id: string }) => job_id)).toEqual([job.id]);
    // Its jobs name it, and are listed by its id or name.
    expect(job.automation).toBe(id);
    for (const reference of [id, encodeURIComponent('Nightly update')]) {
      const { json: jobs } = await service.api('GET', `/jobs?automation=${reference}`);
      expect(jobs.items.map((one: { automation: string }) => one.automation)).toEqual([id, id]);
      expect(jobs.items.at(-1).id).toBe(job.id);
    }
    const { json: list } = await service.api('GET', '/automations');
    // A calendar has what comes, the dense ones as counts.
    const [from, to] = [0, 7].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    const every = { ...nightly('Every minute'), trigger: { schedule: { every: '1m' } }, enabled_until: to };
    await service.api('POST', '/automations', every);
    const { json: week } = await service.api('GET', `/automations?due_from=${from}&due_to=${to}&limit=100`);
    const due = (name: string) => week.items.find((one: { name: string }) => one.name === name).due;
    expect(due('Nightly update').map(({ count }: { count: number }) => count)).toEqual(Array(14).fill(1));
    const counts = due('Every minute').map(({ count }: { count: number }) => count);
    expect(counts.length).toBeLessThanOrEqual(169);
    expect(counts.reduce((sum: number, count: number) => sum + count)).toBeGreaterThanOrEqual(7 * 1_440 - 1);
    await service.api('DELETE', '/automations/Every%20minute');
    const tooLong = await service.api('GET', `/automations?due_from=${from}&due_to=2099-01-01T00:00:00Z`);
    expect(tooLong).toMatchObject({ status: 400, json: { error: expect.stringContaining('at most 8 days') } });
    expect(list.items[0].due).toBe(null);
    expect(list.items.map((one: { id: string }) => one.id)).toContain(id);
    expect((await service.api('DELETE', `/automations/${id}`)).status).toBe(200);
    expect((await service.api('GET', `/automations/${id}/runs`)).status).toBe(404);
  });

  it('is checked and previewed without being stored', async () => {
    const { status, json } = await service.api('POST', '/automations?dry_run=1', nightly('Only tried'));
    expect([status, json.next_runs.length]).toEqual([200, 5]);
    expect((await service.api('GET', `/automations/${json.id}`)).status).toBe(404);
  });

  it('has a name that no other one has', async () => {
    await service.api('POST', '/automations', nightly('Taken'));
    const { status, json } = await service.api('POST', '/automations', nightly('Taken'));
    expect([status, json.error]).toEqual([400, expect.stringContaining('there is an automation of this name')]);
  });

  it.each([
    [
      { trigger: { schedule: { cron: '0 3 * * * *', every: '5s', timezone: 'EST' } } },
      ['trigger.schedule.timezone', 'trigger.schedule.cron', 'trigger.schedule.every'],
    ],
    [{ trigger: { schedule: {} } }, ['trigger.schedule.cron', 'trigger.schedule.every']],
    [{ trigger: { schedule: { cron: '0 0 31 2 *' } } }, ['never due']],
    [{ trigger: { hook: {} } }, ['trigger.hook.verify']],
    [{ trigger: {} }, ['exactly one of schedule, hook and event']],
    [
      { trigger: { hook: { verify: { style: 'hmac' }, delivery_id: {} } } },
      ['trigger.hook.verify.header', 'trigger.hook.delivery_id'],
    ],
    [{ trigger: { hook: { verify: { style: 'github' } } } }, ['job.profile', 'shell']],
    [{ job: { prompt: 'x', profile: 'nobody' } }, ['job.profile', 'nobody']],
    [{ job: { prompt: 'x', draft: true } }, ['draft']],
    [{ overlap: 'both', missed: 'some', jitter: -1 }, ['overlap', 'missed', 'jitter']],
    [{ job: { prompt: 'x'.repeat(70_000), profile: 'shell' } }, ['job', '65536']],
  ])('is refused with all that is wrong: %j', async (wrong, named) => {
    const { status, text } = await service.api('POST', '/automations', nightly('Wrong', wrong));
    expect(status).toBe(400);
    for (const name of named) expect(text).toContain(name);
  });

  it('is changed by its next owner: a disabled one is not due, and an enabled one is again', async () => {
    const { json: made } = await service.api('POST', '/automations', nightly('Changed', { jitter: 600 }));
    const { due_at, starts_at } = made.next_runs[0];
    expect(Date.parse(starts_at) - Date.parse(due_at)).toBeLessThan(600_000);
    const off = await service.api('PATCH', `/automations/${made.id}`, { enabled: false });
    expect(off.json).toMatchObject({ state: 'disabled', next_runs: [], version: 2 });
    const tried = await service.api('PATCH', `/automations/${made.id}?dry_run=1`, { enabled: true });
    expect(tried.json.next_runs).toHaveLength(5);
    const on = await service.api('PATCH', `/automations/${made.id}`, {
      enabled: true,
      enabled_until: made.next_runs[1].due_at,
      trigger: { schedule: { every: '6h' } },
    });
    expect(on.json).toMatchObject({
      state: 'active',
      trigger: { schedule: { cron: null, every: '6h', timezone: 'UTC' } },
    });
    const { json: ended } = await service.api('PATCH', `/automations/${made.id}`, { enabled_until: made.created_at });
    expect(ended).toMatchObject({ state: 'ended', next_runs: [] });
  });

  it('runs no second job while one has not ended, unless it may wait or replace it', async () => {
    const job = { prompt: 'sleep 60', profile: 'shell' };
    const { json: made } = await service.api('POST', '/automations', nightly('Long', { job }));
    const run = async () => await service.api('POST', `/automations/${made.id}/run`);
    const { json: first } = await run();
    const refused = await run();
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining(first.id)]);
    await service.api('PATCH', `/automations/${made.id}`, { overlap: 'queue' });
    const { json: second } = await run();
    const waiting = await waitFor(async () => {
      const { json } = await service.api('GET', `/jobs/${second.id}`);
      return json.state_reason.code === 'automation_busy' && json;
    });
    expect(waiting.queue.held_by).toEqual([first.id]);
    expect((await run()).status).toBe(400);
    await service.api('PATCH', `/automations/${made.id}`, { overlap: 'replace' });
    const { json: third } = await run();
    await waitFor(async () => (await service.api('GET', `/jobs/${third.id}`)).json.status === 'RUNNING');
    for (const { id } of [first, second])
      expect((await service.api('GET', `/jobs/${id}`)).json.status).toBe('CANCELLED');
    await service.api('POST', `/jobs/${third.id}/kill`);
  });
});
