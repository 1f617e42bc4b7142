import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { keepSecret, readParameter, removeParameters } from '../../../../lib/platform/aws/parameters.ts';
import { readPlace } from '../../../../lib/platform/aws/read-place.ts';
import { startParameterStore } from '../../../stand-ins/parameter-store.ts';

let store: Awaited<ReturnType<typeof startParameterStore>>;
let folder: string;
beforeAll(async () => {
  [store, folder] = await Promise.all([startParameterStore(), mkdtemp(join(tmpdir(), 'promptq-test-'))]);
  const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  for (const [name, value] of Object.entries({ ...env, AWS_ENDPOINT_URL_SSM: store.endpoint })) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  store.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => store.parameters.clear());

it('a secret is kept encrypted once, and stays until it is removed', async () => {
  await keepSecret('/a', 'first');
  await keepSecret('/a', 'second');
  expect([...store.parameters]).toEqual([['/a', { type: 'SecureString', value: 'first' }]]);
  expect(await readParameter('/a')).toBe('first');
  await removeParameters(['/a', '/missing']);
  expect(await readParameter('/a')).toBeUndefined();
});

it('a text is read from the file or the parameter that its place names, if that is there', async () => {
  const file = join(folder, 'a:b');
  await writeFile(file, 'of the file');
  store.parameters.set('/a:b', { type: 'String', value: 'of the parameter' });
  expect(await readPlace(`file:${file}`)).toBe('of the file');
  expect(await readPlace('ssm:/a:b')).toBe('of the parameter');
  expect([await readPlace(`file:${file}c`), await readPlace('ssm:/c')]).toEqual([undefined, undefined]);
  await expect(readPlace(`file:${folder}`)).rejects.toThrow('EISDIR');
});
