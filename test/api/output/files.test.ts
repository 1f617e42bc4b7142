import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Schemas } from '../../../lib/client/promptq.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

type JobFile = Schemas['JobFile'];

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const run = async (prompt: string, settings: Record<string, unknown> = {}) => {
  const id = await createJob(service, { profile: 'shell', prompt, ...settings });
  return { id, ...(await untilEnded(service, id)) };
};
const listOf = async (id: string, query = '') => (await service.api('GET', `/jobs/${id}/files${query}`)).json;
const download = async (id: string, path: string, query = '') =>
  await fetch(`${service.baseUrl}/api/v1/jobs/${id}/files/content?path=${encodeURIComponent(path)}${query}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
const refusal = async (id: string, path: string) => {
  const { status, json } = await service.api('GET', `/jobs/${id}/files/content?path=${encodeURIComponent(path)}`);
  return { status, details: json.details };
};
const summary = async (id: string) =>
  Object.fromEntries((await listOf(id)).items.map(({ path, reason }: JobFile) => [path, reason]));

test('the files that a job left in its folder are listed and can be downloaded', async () => {
  const { id } = await run(
    `mkdir -p 'src/a b'; printf hello > 'src/a b/ü "q".txt'; printf '#!/bin/sh' > run; chmod 755 run; : > empty`,
  );
  const list = await listOf(id);
  expect([list.attempt, list.selection, list.note, list.not_listed]).toEqual([1, 'folder', null, []]);
  expect(list.items.map(({ path }: { path: string }) => path)).toEqual(['empty', 'run', 'src/a b/ü "q".txt']);
  expect(list.items[2]).toEqual({
    ...{ path: 'src/a b/ü "q".txt', bytes: 5, executable: false, kept: true, reason: null, masked: false },
    ...{ sha256: createHash('sha256').update('hello').digest('hex'), content_type: 'text/plain' },
  });
  expect(list.items[1].executable).toBe(true);

  const nested = await download(id, 'src/a b/ü "q".txt');
  expect(await nested.text()).toBe('hello');
  expect(Object.fromEntries(nested.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="_ _q_.txt"; filename*=UTF-8''%C3%BC%20%22q%22.txt`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(await (await download(id, 'empty')).text()).toBe('');
  expect(await (await download(id, 'run')).text()).toBe('#!/bin/sh');
});

test('no file outside the folder is kept, neither by a link nor by a name', async () => {
  const { id, status } = await run(
    String.raw`ln -s /etc/passwd passwd; ln -s /etc etc; mkdir in; ln -s ../.. in/up; mkfifo pipe; printf x > ok
      printf x > $'new\nline'; printf x > $'\e[31mred'; printf x > $'\u202egnp.exe'; printf x > $'\xff'`,
  );
  expect(status).toBe('SUCCEEDED');
  expect(await summary(id)).toEqual({ passwd: 'link', etc: 'link', 'in/up': 'link', pipe: 'special', ok: null });
  expect((await listOf(id)).not_listed).toEqual([{ reason: 'name', count: 4 }]);
  for (const path of ['../files.json', '/etc/passwd', 'etc/passwd', '..', 'in', 'ok/', './ok', '\nline']) {
    const { status: code, details } = await refusal(id, path);
    expect([path, code, details]).toEqual([path, 404, { file: 'unknown' }]);
  }
  expect(await refusal(id, 'passwd')).toEqual({ status: 404, details: { file: 'not_kept', reason: 'link' } });
});

test('what passes a limit is listed with the reason, and folders that tools fill by name', async () => {
  const { fileBytes, count } = LIMITS.files;
  const { id } = await run(
    `truncate -s ${fileBytes + 1} large; mkdir -p node_modules/x .git many; touch node_modules/x/y
      cd many; seq ${count} | xargs touch`,
  );
  const { items, not_listed } = await listOf(id);
  expect(await summary(id)).toMatchObject({
    large: 'size',
    '.git': 'left_out',
    node_modules: 'left_out',
    'many/1': null,
  });
  expect([items.length, not_listed]).toEqual([count, [{ reason: 'count', count: 3 }]]);
});

test('attempts keep their own files, failed ones too, and running ones say when', async () => {
  const { id, status } = await run('echo $((1 + $(cat note || echo 0))) > note; exit 3');
  expect(status).toBe('FAILED');
  await service.api('POST', `/jobs/${id}/retry`);
  await untilEnded(service, id);
  expect(await (await download(id, 'note')).text()).toBe('2\n');
  expect(await (await download(id, 'note', '&attempt=1')).text()).toBe('1\n');
  expect((await service.api('GET', `/jobs/${id}/files?attempt=3`)).status).toBe(400);

  const draft = await createJob(service, { profile: 'shell', prompt: 'true', draft: true });
  const empty = { items: [], not_listed: [], selection: null };
  expect(await listOf(draft)).toMatchObject({ ...empty, attempt: 0, note: expect.stringContaining('not started') });
  const none = await run('true');
  expect(await listOf(none.id)).toMatchObject({ ...empty, attempt: 1, note: expect.stringContaining('no files') });
});

test('of a folder that others use too, only what changed during the attempt is kept', async () => {
  const folder = { cwd: 'shared', project: 'files-shared' };
  await run('touch -d "1 hour ago" before; mkdir sub; touch sub/mine', folder);
  const { id } = await run('touch now sub/now; touch -d "1 hour ago" sub/mine', folder);
  const { selection } = await listOf(id);
  expect([selection, await summary(id)]).toEqual(['changed', { now: null, 'sub/now': null }]);
});

test('a job says where it works, and until when that and its files are kept', async () => {
  const own = await run('true');
  const { json } = await service.api('GET', `/jobs/${own.id}`);
  expect(json.folder).toBe(`${service.home}/workspaces/local_project/${own.id}/work`);
  const days = (Date.parse(json.folder_kept_until) - Date.parse(json.finished_at)) / 86_400_000;
  expect([days, json.files_kept_until]).toEqual([7, null]);
  const shared = await run('true', { cwd: 'shared', project: 'files-shared' });
  expect((await service.api('GET', `/jobs/${shared.id}`)).json).toMatchObject({
    folder: `${service.home}/workspaces/files-shared/shared`,
    folder_kept_until: null,
  });
});
