import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const deletion = async (id: string) => await service.api('POST', `/jobs/${id}/delete-output`, {});
const get = async (path: string) => await service.api('GET', path);

/** Whether the store of the local run has these bytes anywhere. */
async function isStored(bytes: string): Promise<boolean> {
  const folder = join(service.home, 's3');
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const content = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
    if (content.includes(bytes)) return true;
  }
  return false;
}

const OUTPUT_OF = ['/result', '/result?attempt=1', '/logs', '/session', '/attachments', '/attachments/a.txt'];
const FILES_OF = ['/files', '/files/content?path=b.txt', '/logs?attempt=2&stream=stderr', '/files?attempt=1'];

it('leaves no byte of what the attempts wrote, and keeps the record of the job', async () => {
  // The prompt does not contain the word that it writes.
  const word = 'leaked-%s\\n';
  const script = [
    `printf '${word}' marimba`,
    `printf '${word}' marimba >&2`,
    `printf '${word}' marimba > "$PROMPTQ_ATTACHMENTS/a.txt"`,
    `printf '${word}' marimba > b.txt`,
    'exit 3',
  ].join('; ');
  const id = await createJob(service, { profile: 'shell', project: 'deletions', prompt: script, retries: 1 });
  await untilEnded(service, id);
  const before = (await get(`/jobs/${id}`)).json;
  expect(before).toMatchObject({ status: 'FAILED', attempt: 2, output_deleted_at: null, output_deleted_by: null });
  expect((await get(`/jobs/${id}/logs`)).json.stdout).toContain('leaked-marimba');
  expect(await isStored('leaked-marimba')).toBe(true);

  const deleted = await deletion(id);
  expect([deleted.status, deleted.json]).toEqual([
    200,
    { id, output_deleted_at: expect.any(String), output_deleted_by: expect.any(String), copies: [] },
  ]);
  expect(await isStored('leaked-marimba')).toBe(false);
  const after = (await get(`/jobs/${id}`)).json;
  for (const name of ['prompt', 'status', 'attempt', 'started_at', 'finished_at', 'exit_code', 'usage', 'retries'])
    expect([name, after[name]]).toEqual([name, before[name]]);
  expect(after).toMatchObject({
    ...{ error: null, warnings: [], session_id: null, output_deleted_attempt: 2 },
    output_deleted_at: deleted.json.output_deleted_at,
    output_deleted_by: deleted.json.output_deleted_by,
  });
  expect(after.attempts.map(({ status, exit_code }: Record<string, unknown>) => [status, exit_code])).toEqual([
    ['FAILED', 3],
    ['FAILED', 3],
  ]);
  for (const path of [...OUTPUT_OF, ...FILES_OF]) {
    const { status, json } = await get(`/jobs/${id}${path}`);
    const details = { deleted_at: deleted.json.output_deleted_at, deleted_by: deleted.json.output_deleted_by };
    expect([path, status, json.error, json.details]).toEqual([path, 404, 'output_deleted', details]);
  }
  expect((await service.api('POST', `/jobs/${id}/reread-logs`, {})).json.error).toBe('output_deleted');
  expect((await get('/audit-logs?action=jobs.delete-output&limit=1')).json.items).toMatchObject([
    { action: 'jobs.delete-output', target: { id }, status: 200 },
  ]);
  // The same again.
  expect((await deletion(id)).json).toEqual(deleted.json);
});

it('concerns no attempt of a later retry', async () => {
  const id = await createJob(service, {
    profile: 'shell',
    project: 'deletions',
    prompt: 'echo "run $PROMPTQ_ATTEMPT"',
  });
  await untilEnded(service, id);
  expect((await deletion(id)).status).toBe(200);
  const refused = await service.api('POST', `/jobs/${id}/retry`, { from: 'session' });
  expect(refused.status).toBe(400);
  expect((await service.api('POST', `/jobs/${id}/retry`, {})).status).toBe(200);
  await untilEnded(service, id);
  const { json } = await get(`/jobs/${id}/logs`);
  expect([json.attempt, json.stdout_bytes > 0]).toEqual([2, true]);
  expect((await get(`/jobs/${id}/logs?attempt=1`)).json.error).toBe('output_deleted');
  expect((await service.api('POST', `/jobs/${id}/reread-logs`, {})).json).toMatchObject({ id, refreshed: [] });
});

test.each([
  ['a draft', { prompt: 'true', draft: true }, 'DRAFT'],
  ['a running job', { prompt: 'sleep 60' }, 'RUNNING'],
])('the output of %s is kept', async (_, body, state) => {
  const id = await createJob(service, { profile: 'shell', project: 'deletions', ...body });
  await expect.poll(async () => (await get(`/jobs/${id}/status`)).json.status, { timeout: 30_000 }).toBe(state);
  const { status, json } = await deletion(id);
  expect([status, json.details]).toEqual([400, { state, action: 'delete-output' }]);
  await service.api('POST', `/jobs/${id}/kill`, {});
  await service.api('POST', `/jobs/${id}/cancel`, {});
});
