import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

interface Wanted {
  readonly name: string;
  readonly of: string;
  readonly makes?: string;
  readonly types?: readonly string[];
  readonly more?: object;
}

async function on({ name, of, makes = `${of}-next`, types = ['job.succeeded'], more = {} }: Wanted) {
  const trigger = { event: { types, filter: { project: of } } };
  const job = { prompt: 'Continue {{event.job_id}} {{event.type}} {{event.project}}', profile: 'practice' };
  const { status, json, text } = await service.api('POST', '/automations', {
    ...{ name, trigger, job, project: makes },
    ...more,
  });
  expect(status, text).toBe(201);
  return json;
}
const runJob = async (project: string, prompt = 'Go.') =>
  (await service.api('POST', '/jobs', { project, prompt, profile: 'practice' })).json.id;
const runsOf = async (id: string) => (await service.api('GET', `/automations/${id}/runs`)).json.items;
const runOf = async (id: string, count = 1) =>
  await waitFor(async () => {
    const items = await runsOf(id);
    return items.length >= count && items;
  });
const forget = async (...ids: string[]) => {
  for (const id of ids) await service.api('DELETE', `/automations/${id}`);
};

describe('an automation that events start', () => {
  it('starts one job for each event that fits, with the event as quoted data, until it is disabled', async () => {
    const before = await runJob('src');
    await waitFor(async () => (await service.api('GET', `/jobs/${before}`)).json.status === 'SUCCEEDED');
    const made = await on({ name: 'Event basics', of: 'src' });
    expect(made).toMatchObject({
      ...{ overlap: 'queue', state: 'active', next_runs: [] },
      trigger: { schedule: null, hook: null, event: { types: ['job.succeeded'], filter: { project: 'src' } } },
    });
    await runJob('other-src');
    const first = await runJob('src');
    const [run] = await runOf(made.id);
    expect(run).toMatchObject({ trigger: 'event', outcome: 'fired', event_id: expect.stringMatching(/^\d+-\d+$/) });
    const { json: job } = await service.api('GET', `/jobs/${run.job_id}`);
    const [prompt, , heading] = job.prompt.split('\n');
    expect(prompt).toBe(`Continue ${first} job.succeeded {{event.project}}`);
    expect(heading).toBe('## Data from outside (not trusted)');
    expect(job).toMatchObject({ project: 'src-next', automation: made.id });
    await service.api('PATCH', `/automations/${made.id}`, { enabled: false });
    const unseen = await runJob('src');
    await waitFor(
      async () => (await service.api('GET', `/events?job=${unseen}&type=job.succeeded`)).json.items.length > 0,
    );
    await service.api('PATCH', `/automations/${made.id}`, { enabled: true });
    const seen = await runJob('src');
    const runs = await runOf(made.id, 2);
    expect(runs).toHaveLength(2);
    expect((await service.api('GET', `/jobs/${runs[0].job_id}`)).json.prompt).toContain(`Continue ${seen} `);
    const by = await service.api('POST', `/automations/${made.id}/run`);
    expect((await service.api('GET', `/jobs/${by.json.id}`)).json.prompt).toBe('Continue none none {{event.project}}');
    await forget(made.id);
  });

  it('never starts itself', async () => {
    const self = await on({ name: 'Self', of: 'loop', makes: 'loop' });
    await runJob('loop');
    const [circle, fired] = await runOf(self.id, 2);
    expect([circle, fired]).toMatchObject([
      { outcome: 'skipped', reason: { code: 'circle' }, job_id: null },
      { outcome: 'fired' },
    ]);
    await forget(self.id);
  });

  it.each([
    [{ trigger: { event: { types: ['job.started'] } } }, ['trigger.event.types', 'job.succeeded']],
    [{ trigger: { event: { types: [], filter: { projects: 'x' } } } }, ['trigger.event.types', 'projects']],
    [{ trigger: { event: { types: ['job.failed'] }, schedule: { every: '1h' } } }, ['exactly one']],
    [{ job: { prompt: 'true', profile: 'shell' } }, ['job.profile', 'shell']],
  ])('is refused with what is wrong: %j', async (wrong, named) => {
    const { status, text } = await service.api('POST', '/automations', {
      ...{ name: 'Wrong', trigger: { event: { types: ['job.succeeded'] } }, job: { prompt: 'x', profile: 'practice' } },
      ...wrong,
    });
    expect(status).toBe(400);
    for (const name of named) expect(text).toContain(name);
  });
});
