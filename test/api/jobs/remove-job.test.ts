import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { ASKING, importAsking } from '../follow-up-script.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
  await importAsking(service);
});

const remove = async (id: string) => await service.api('DELETE', `/jobs/${id}/data`);
const get = async (path: string) => await service.api('GET', path);

async function ended(body: Record<string, unknown>): Promise<string> {
  const id = await createJob(service, { profile: 'shell', project: 'removals', ...body });
  await untilEnded(service, id);
  return id;
}

/** The objects of a job in the store of the local run. */
async function objectsOf(id: string): Promise<string[]> {
  const buckets = await readdir(join(service.home, 's3'));
  const records = await Promise.all(
    buckets.map(async (bucket) => {
      const folder = join(service.home, 's3', bucket, 'records');
      return await Promise.all(
        (await readdir(folder)).map(async (name) => await readFile(join(folder, name), 'utf8').catch(() => '{}')),
      );
    }),
  );
  return records
    .flat()
    .map((record) => String(JSON.parse(record).key))
    .filter((key) => key.includes(id));
}

it('removes an ended job with all that it holds, and leaves a row in the audit log', async () => {
  const script = 'echo personal-xylophone; echo file > "$PROMPTQ_ATTACHMENTS/a.txt"';
  const body = { prompt: script, title: 'Xylophone', tags: ['personal'], idempotency_key: 'removed' };
  const id = await ended(body);
  expect((await objectsOf(id)).length).toBeGreaterThan(0);
  expect((await get('/jobs?search=xylophone')).json.items).toMatchObject([{ id }]);
  const removed = await remove(id);
  expect([removed.status, removed.json]).toEqual([200, { id }]);
  for (const path of ['', '/status', '/result', '/logs', '/attachments', '/messages', '/questions'])
    expect([path, (await get(`/jobs/${id}${path}`)).json.error]).toEqual([path, 'job_not_found']);
  for (const filter of ['search=xylophone', 'tag=personal', 'project=removals'])
    expect([filter, (await get(`/jobs?${filter}`)).json.items]).toEqual([filter, []]);
  expect(await objectsOf(id)).toEqual([]);
  expect((await get('/audit-logs?action=jobs.remove&limit=1')).json.items).toMatchObject([
    { action: 'jobs.remove', target: { id }, status: 200, actor: expect.stringMatching(/^token:/) },
  ]);
  expect((await remove(id)).json.error).toBe('job_not_found');
  // Its key is free.
  expect((await service.api('POST', '/jobs', { ...body, profile: 'shell', draft: true })).json).toMatchObject({
    id,
    replayed: false,
  });
});

test.each([
  ['a draft', { prompt: 'true', draft: true }, 'DRAFT'],
  ['a running job', { prompt: 'sleep 60' }, 'RUNNING'],
])('%s is kept', async (_, body, state) => {
  const id = await createJob(service, { profile: 'shell', project: 'removals kept', ...body });
  await expect.poll(async () => (await get(`/jobs/${id}/status`)).json.status, { timeout: 30_000 }).toBe(state);
  const { status, json } = await remove(id);
  expect([status, json.details]).toEqual([400, { state, action: 'remove' }]);
  await service.api('POST', `/jobs/${id}/kill`, {});
  await service.api('POST', `/jobs/${id}/cancel`, {});
});

test('a removal is refused until the jobs that share its texts or files are removed', async () => {
  const block = String.raw`\140\140\140follow-up-job\n{"prompt": "true", "cwd": "%s"}\n\140\140\140\n`;
  const first = await ended({ prompt: `printf '${block}' "$PWD"`, profile: ASKING });
  const turn = await ended({ prompt: 'true', continue: first, profile: ASKING });
  expect((await remove(first)).json.error).toContain(`remove ${turn} first, a later turn of its thread`);
  expect((await remove(turn)).status).toBe(200);
  const [followUp = ''] = await waitFor(async () => {
    const { follow_up_ids: ids } = (await get(`/jobs/${first}`)).json;
    return ids.length > 0 && ids;
  });
  await untilEnded(service, followUp);
  expect((await remove(first)).json.error).toContain(`remove ${followUp} first, which shares its folder`);
  for (const id of [followUp, first]) expect((await remove(id)).status).toBe(200);
});
