import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  await save('api-report', {
    prompt: 'Report of {{zone}} since {{since}}, {{times}} times. {{text}}',
    parameters: [
      { name: 'since', type: 'string', pattern: '\\d{4}.*|never' },
      { name: 'zone', type: 'string', required: false },
      { name: 'times', type: 'number', default: 3 },
      { name: 'text', type: 'text', required: false },
    ],
    profile: 'practice',
    project: 'reports',
  });
});

const save = async (name: string, template: object) => {
  const { status, text } = await service.api('PUT', `/templates/${name}`, template);
  expect(status, text).toBeLessThan(300);
};
const create = async (name: string, job: object, more: object = {}) =>
  await service.api('POST', '/automations', {
    name,
    trigger: { schedule: { cron: '0 3 * * *', timezone: 'Asia/Tokyo' } },
    job,
    ...more,
  });
const runJob = async (id: string) => {
  const started = await service.api('POST', `/automations/${id}/run`);
  expect(started.status, started.text).toBe(201);
  return (await service.api('GET', `/jobs/${started.json.id}`)).json;
};
const parameters = { since: '{{last_success_at}}', zone: '{{timezone}}', times: 1e300, text: '{{zone}} {{{due_at}}}' };

describe('an automation with a template', () => {
  it('creates jobs from it, with the values of the run in its parameters, which are not read again', async () => {
    const made = await create('Reports', { template: 'api-report', parameters });
    expect([made.status, made.json.project], made.text).toEqual([201, 'reports']);
    const read = await service.api('GET', `/automations/${made.json.id}`);
    expect(read.json.job).toEqual({ template: 'api-report', parameters });
    const job = await runJob(made.json.id);
    const [run] = (await service.api('GET', `/automations/${made.json.id}/runs`)).json.items;
    expect(job.prompt).toBe(`Report of Asia/Tokyo since never, 1e+300 times. {{zone}} {${run.due_at}}`);
    expect(job).toMatchObject({
      project: 'reports',
      profile: 'practice',
      template: { name: 'api-report', version: 1 },
    });
  });

  it('takes the newest version at the time of the run, unless it names one', async () => {
    await save('changing', { prompt: 'First.', profile: 'practice' });
    const newest = await create('Newest', { template: 'changing' }, { project: 'own' });
    const first = await create('First', { template: 'changing', template_version: 1, profile: 'shell' });
    await save('changing', { prompt: 'Second.', profile: 'practice' });
    expect(await runJob(newest.json.id)).toMatchObject({ prompt: 'Second.', project: 'own' });
    expect(await runJob(first.json.id)).toMatchObject({ prompt: 'First.', project: 'local_project', profile: 'shell' });
  });

  it('fails with the reason after its template was deleted', async () => {
    await save('gone', { prompt: 'First.', profile: 'practice' });
    const { json } = await create('Of a deleted one', { template: 'gone' });
    await service.api('DELETE', '/templates/gone');
    const refused = await service.api('POST', `/automations/${json.id}/run`);
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringContaining('there is no template')]);
    const [run] = (await service.api('GET', `/automations/${json.id}/runs`)).json.items;
    expect(run).toMatchObject({ outcome: 'failed', job_id: null, reason: { code: 'not_created' } });
    expect(run.reason.message).toContain('"gone"; there is no template of this name');
    const told = await waitFor(async () => {
      const { json: page } = await service.api('GET', `/events?automation=${json.id}`);
      return page.items.length > 0 && page.items;
    });
    expect(told).toMatchObject([
      {
        ...{ type: 'automation.failed', job_id: null, sequence: null, reason: 'not_created', project: 'local_project' },
        subject: { kind: 'automation', id: json.id, name: 'Of a deleted one' },
      },
    ]);
  });

  it.each([
    [{}, ['job.prompt', 'a template']],
    [{ template: 'nothing' }, ['job.template', 'nothing']],
    [{ template: 'api-report', parameters, prompt: 'x' }, ['job.prompt']],
    [{ template: 'api-report', template_version: 7, parameters }, ['job.template_version', 'newest version is 1']],
    [
      { template: 'api-report', parameters: { since: '{{due_atx}}', times: 'two', other: 1 } },
      ['job.parameters.since', 'job.parameters.times', 'other'],
    ],
    [{ template: 'api-report' }, ['job.parameters.since', 'is missing']],
    [{ template: 'api-report', parameters, profile: 'shell' }, ['job.profile', 'shell']],
    [{ prompt: 'x', parameters: { a: 1 } }, ['job.parameters']],
  ])('is refused with what is wrong: %j', async (job, named) => {
    const { status, text } = await create('Wrong', job);
    expect(status).toBe(400);
    for (const name of named) expect(text).toContain(name);
  });
});
