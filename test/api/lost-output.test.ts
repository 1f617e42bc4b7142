import { readdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, startService } from '../local-service.ts';
import { createJob, untilEnded } from './job-client.ts';

/** A service whose kept output is damaged behind its back. */
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.stop({ keepHome: false }));

const BYTES = 100_000;

/** A job with so many bytes of output, and the folder that holds the files of it. */
async function withOutput(): Promise<{ id: string; folder: string }> {
  const id = await createJob(service, { prompt: `yes | head -c ${BYTES}`, profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const [bucket = ''] = await readdir(join(service.home, 's3'));
  return { id, folder: join(service.home, 's3', bucket, 'data') };
}

it('says so of output that was shortened, and of output that is gone, and keeps no reader waiting', async () => {
  const { id, folder } = await withOutput();
  const whole = (await service.api('GET', `/jobs/${id}/result?full=1`)).json;
  expect(whole).toMatchObject({ stdout_bytes: BYTES, stdout_state: 'complete', stderr_state: 'complete' });
  for (const name of await readdir(folder))
    if ((await stat(join(folder, name))).size === BYTES) await truncate(join(folder, name), BYTES / 2);
  for (const path of ['result', 'result?full=1', 'logs', 'logs?full=1', 'logs?stream=stdout&offset=0']) {
    const { status, json } = await service.api('GET', `/jobs/${id}/${path}`);
    expect([path, status, json.stdout_bytes, json.stdout_state]).toEqual([path, 200, BYTES / 2, 'truncated']);
  }
  const accept = { accept: 'text/event-stream' };
  expect((await service.api('GET', `/jobs/${id}/logs?follow=1`, undefined, accept)).text).toContain('event: end');

  const reread = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect(reread).toMatchObject({
    status: 200,
    json: { stdout_bytes: BYTES, warnings: [`stdout: ${BYTES / 2} of ${BYTES} recorded bytes are kept`] },
  });
  expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json.refreshed).toEqual([]);

  const { home } = service;
  await service.stop({ keepHome: true });
  await rename(join(home, 's3'), join(home, 's3-away'));
  service = await startService({ home });
  for (const path of ['result?full=1', 'logs?stream=stdout']) {
    const { status, json } = await service.api('GET', `/jobs/${id}/${path}`);
    expect([path, status, json.stdout_state]).toEqual([path, 200, 'missing']);
  }
  const { json } = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect(json).toMatchObject({ stdout_bytes: BYTES });
});

it('keeps the recorded hash of output in which a bit flipped, and says that it differs', async () => {
  const { id, folder } = await withOutput();
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).size !== BYTES) continue;
    const bytes = await readFile(file);
    bytes[7] = (bytes[7] ?? 0) ^ 1;
    await writeFile(file, bytes);
  }
  const { status, json } = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect([status, json.warnings]).toEqual([
    200,
    ['stdout: the kept output is not what was recorded: its hash differs'],
  ]);
  expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json).toMatchObject({ refreshed: [] });
});
