import { beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const draft = (fields: Record<string, unknown> = {}) =>
  createJob(service, { prompt: 'echo old', profile: 'shell', project: 'before', draft: true, ...fields });

const edit = (id: string, fields: Record<string, unknown>) => service.api('PATCH', `/jobs/${id}/draft`, fields);

async function countsOf(project: string) {
  const { json } = await service.api('GET', '/projects');
  return json.items.find(({ id }: { id: string }) => id === project)?.job_counts.DRAFT;
}

it('a draft is edited in every field, project and profile too, and runs as edited', async () => {
  const id = await draft();
  await waitFor(async () => (await countsOf('before')) === 1);
  const changes = { prompt: 'echo new', priority: 7, retries: 2, timeout: 30, cwd: 'here', project: 'After Wards' };
  const { status, json, text } = await edit(id, changes);
  expect(status, text).toBe(200);
  expect(json).toMatchObject({ ...changes, id, status: 'DRAFT', draft: true, attempt: 0 });
  const { json: found } = await service.api('GET', '/jobs?search=after%20wards');
  expect(found.items).toMatchObject([{ id, project: 'After Wards', prompt_preview: 'echo new' }]);
  await waitFor(async () => (await countsOf('before')) === 0 && (await countsOf(json.project_id)) === 1);

  await service.api('POST', `/jobs/${id}/submit`);
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  expect(result.stdout).toBe('new\n');
});

it('an absent or null field stays unchanged', async () => {
  const id = await draft({ extra_prompt: 'more', priority: 3 });
  const { json: before } = await service.api('GET', `/jobs/${id}`);
  const { json: after } = await edit(id, { retries: 1, priority: null });
  expect(after).toEqual({
    ...before,
    attempts: null,
    retries: 1,
    updated_at: after.updated_at,
    version: before.version + 1,
  });
});

for (const [fields, sentence] of [
  [{ profile: 'none' }, 'body.profile: received "none"; there is no profile of this name'],
  [{ project: 'a', project_id: 'b' }, /^body\.project and body\.project_id: .*must name one project$/],
  [{ timeout: 0 }, /^body\.timeout: received 0/],
  [{ cwd: '/etc' }, /^body\.cwd: /],
  [{ rule_ids: ['none'] }, /^body\.rule_ids: .*there is no rule/],
  [{ idempotency_key: 'k' }, /^body: unknown "idempotency_key"/],
] as const)
  it(`rejects as on creation ${JSON.stringify(fields)}`, async () => {
    const { status, json } = await edit(await draft(), fields);
    expect(status).toBe(400);
    expect(json.error).toMatch(sentence);
  });

it('a project in a request with an invalid field is not created', async () => {
  const { status } = await edit(await draft(), { project: 'never-made', cwd: '/etc' });
  expect(status).toBe(400);
  expect(await countsOf('never-made')).toBeUndefined();
});

it('rejects a job that is no longer a draft, and names its state', async () => {
  const id = await draft();
  await service.api('POST', `/jobs/${id}/cancel`);
  const { status, json } = await edit(id, { priority: 1 });
  expect(status).toBe(400);
  expect(json).toMatchObject({
    error: 'edit_draft: only a draft can be edited as one; this job is CANCELLED',
    details: { state: 'CANCELLED', action: 'edit_draft' },
  });
});

it('a created job is answered with its address in the API and in the console', async () => {
  const key = { idempotency_key: 'once', prompt: 'true', draft: true };
  for (const replayed of [null, 'true']) {
    const { status, headers, json } = await service.api('POST', '/jobs', key);
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/v1/jobs/${json.id}`);
    expect(headers.get('idempotent-replayed')).toBe(replayed);
    expect(json.url).toBe(`${service.baseUrl}/jobs/${json.id}`);
  }
});
