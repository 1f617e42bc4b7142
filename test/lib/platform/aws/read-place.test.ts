import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startParameterStore } from '../../../parameter-store.ts';

let store: Awaited<ReturnType<typeof startParameterStore>>;
let folder: string;
beforeAll(async () => {
  store = await startParameterStore();
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', store.endpoint);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  store.close();
  await rm(folder, { recursive: true });
});

it('a text is read from its file or its parameter, and a missing one is none', async () => {
  const { readPlace } = await import('../../../../lib/platform/aws/read-place.ts');
  await writeFile(join(folder, 'a:b'), 'from the file');
  expect(await readPlace(`file:${folder}/a:b`)).toBe('from the file');
  expect(await readPlace(`file:${folder}/none`)).toBeUndefined();
  await expect(readPlace(`file:${folder}`)).rejects.toThrow('EISDIR');
  store.parameters.set('/promptq/secret', { type: 'SecureString', value: 'from SSM' });
  expect(await readPlace('ssm:/promptq/secret')).toBe('from SSM');
  expect(await readPlace('ssm:/promptq/none')).toBeUndefined();
});

it('a secret that is there stays as it is, and what is removed may be gone already', async () => {
  const { keepSecret, readParameter, removeParameters } = await import('../../../../lib/platform/aws/parameters.ts');
  await keepSecret('/kept', 'first');
  await keepSecret('/kept', 'second');
  expect(store.parameters.get('/kept')).toEqual({ type: 'SecureString', value: 'first' });
  await removeParameters(['/kept', '/none']);
  expect(await readParameter('/kept')).toBeUndefined();
  await expect(removeParameters(Array.from({ length: 11 }, (_, at) => `/${at}`))).rejects.toThrow('at most 10');
});
