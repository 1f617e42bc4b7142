import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { amount } from '../../vitest/amount.ts';
import { createJob, untilEnded } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const run = async (script: string, settings: Record<string, unknown> = {}) => {
  const id = await createJob(service, {
    profile: 'shell',
    prompt: `cd "$PROMPTQ_ATTACHMENTS"\n${script}`,
    ...settings,
  });
  return { id, ...(await untilEnded(service, id)) };
};
const listOf = async (id: string, query = '') => (await service.api('GET', `/jobs/${id}/attachments${query}`)).json;
const download = async (id: string, name: string) =>
  await fetch(`${service.baseUrl}/api/v1/jobs/${id}/attachments/${encodeURIComponent(name)}`, {
    headers: { authorization: `Bearer ${service.token}` },
    redirect: 'manual',
  });

test('files that an agent leaves are listed with the result and can be downloaded', async () => {
  const { id } = await run(
    `mkdir -p 'a b/c%d'; printf hello > 'a b/c%d/ü "q".txt'; printf '<script>' > page.html; : > empty`,
  );
  const { items } = await listOf(id);
  expect(items.map(({ path }: { path: string }) => path)).toEqual(['a b/c%d/ü "q".txt', 'empty', 'page.html']);
  expect(items[0]).toEqual({
    name: 'a b%2Fc%25d%2Fü "q".txt',
    path: 'a b/c%d/ü "q".txt',
    bytes: 5,
    sha256: createHash('sha256').update('hello').digest('hex'),
    content_type: 'text/plain',
    attempt: 1,
  });
  expect((await service.api('GET', `/jobs/${id}/result`)).json.attachments).toEqual(items);

  const nested = await download(id, items[0].name);
  expect(await nested.text()).toBe('hello');
  expect(nested.headers.get('content-disposition')).toBe(
    `attachment; filename="_ _q_.txt"; filename*=UTF-8''%C3%BC%20%22q%22.txt`,
  );
  const page = await download(id, 'page.html');
  expect(await page.text()).toBe('<script>');
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  expect(await (await download(id, 'empty')).text()).toBe('');
});

test('each file is listed and downloaded under its name', async () => {
  const paths = ['.hidden/notes.diff', '100%.md', 'a b/ü.txt', 'a%2Fb'];
  const { id } = await run(`mkdir -p 'a b' .hidden\n${paths.map((path) => `printf kept > '${path}'`).join('\n')}`);
  const { items } = await listOf(id);
  expect(items.map((item: { path: string }) => item.path)).toEqual(paths);
  for (const { name } of items) {
    const answer = await download(id, name);
    expect([name, answer.status, await answer.text()]).toEqual([name, 200, 'kept']);
  }
});

test('no file outside the attachments is accessible, neither by a name nor by a link', async () => {
  const { id } = await run(
    `ln -s /etc/passwd passwd; ln -s /etc etc; mkfifo pipe; printf x > ok; printf x > $'new\\nline'; mkdir in; ln -s ../ok in/link`,
  );
  const { items } = await listOf(id);
  expect(items.map(({ path }: { path: string }) => path)).toEqual(['ok']);
  const { warnings } = (await service.api('GET', `/jobs/${id}`)).json;
  expect(warnings.toSorted()).toEqual([
    expect.stringContaining('1 not kept: a name'),
    expect.stringContaining('4 not kept: a link or no regular file'),
  ]);
  for (const name of [
    'passwd',
    '../../attachments.json',
    '../receipt.json',
    '/etc/passwd',
    '..',
    '000000',
    'etc/passwd',
    'ok/',
    '',
    '%E0%A4%A',
  ]) {
    const { status } = await download(id, name);
    expect([name, status]).toEqual([name, 404]);
  }
  const raw = await service.api('GET', `/jobs/${id}/attachments/..%2f..%2freceipt.json`);
  expect(raw.status).toBe(404);
  const malformed = await service.api('GET', `/jobs/${id}/attachments/%E0%A4%A`);
  expect(malformed.status).toBe(404);
});

test('a failed attempt keeps its files, each attempt its own', async () => {
  const { id, status } = await run('echo first > note; exit 3');
  expect(status).toBe('FAILED');
  await service.api('POST', `/jobs/${id}/retry`);
  await untilEnded(service, id);
  expect((await listOf(id)).attempt).toBe(2);
  expect((await listOf(id, '?attempt=1')).items).toHaveLength(1);
  expect((await service.api('GET', `/jobs/${id}/attachments?attempt=3`)).status).toBe(400);
});

/** A thousand are what one request for a list of objects can bring. */
const FILES = amount(100, 1_200);
/** More than a function streams: clients are redirected to the store. */
const LARGE_BYTES = LIMITS.streamedBytes + 500_000;

test('many files, a large one and a long output are kept', async () => {
  const { id } = await run(`mkdir many; i=0; while [ $i -lt ${FILES} ]; do echo $i > many/$i; i=$((i+1)); done
    head -c ${LARGE_BYTES} /dev/zero > large; head -c ${LARGE_BYTES} /dev/zero | tr '\\0' y`);
  const { items } = await listOf(id);
  expect(items).toHaveLength(FILES + 1);
  expect(items.find(({ path }: { path: string }) => path === 'large')).toMatchObject({
    bytes: LARGE_BYTES,
    sha256: createHash('sha256').update(Buffer.alloc(LARGE_BYTES)).digest('hex'),
  });
  const redirected = async (path: string) => {
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.baseUrl}/api/v1/jobs/${id}/${path}`, { headers });
    expect([response.status, response.redirected]).toEqual([200, true]);
    return Buffer.from(await response.arrayBuffer());
  };
  const large = await redirected('attachments/large');
  expect(large.equals(Buffer.alloc(LARGE_BYTES))).toBe(true);
  expect(await (await download(id, `many%2F${FILES - 1}`)).text()).toBe(`${FILES - 1}\n`);
  const { stdout, stdout_bytes } = JSON.parse(String(await redirected('result?full=1')));
  expect([stdout_bytes, stdout === 'y'.repeat(LARGE_BYTES)]).toEqual([LARGE_BYTES, true]);
});
