import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { OriginSecrets, originDigest } from '../../../lib/access/origin-secret.ts';
import { startParameterStore } from '../../stand-ins/parameter-store.ts';

const FOLDER = '/promptq-data/origin-secret';
const secrets = new OriginSecrets(FOLDER);
let store: Awaited<ReturnType<typeof startParameterStore>>;
beforeAll(async () => {
  store = await startParameterStore();
  const env = {
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    AWS_ENDPOINT_URL_SSM: store.endpoint,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(() => {
  store.close();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  store.parameters.clear();
  store.calls.length = 0;
});

const kept = () => [...store.parameters.keys()].map((name) => name.slice(FOLDER.length + 1));
const put = (version: number, value: string) =>
  store.parameters.set(`${FOLDER}/${version}`, { type: 'SecureString', value });

it('the first version has one secret of 32 random bytes, and nothing else is asked for or removed', async () => {
  const digests = await secrets.keep(1);
  const secret = await secrets.value(1);
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(digests).toEqual([originDigest(secret)]);
  expect(store.calls).toEqual([`PutParameter ${FOLDER}/1`, ...Array(2).fill(`GetParameter ${FOLDER}/1`)]);
});

it('a version and the one before it are accepted, and the one before that is removed', async () => {
  for (const version of [1, 2]) put(version, `secret ${version}`);
  const second = await secrets.keep(2);
  expect(second).toEqual(['secret 2', 'secret 1'].map(originDigest));
  expect(await secrets.keep(2)).toEqual(second);
  expect(kept()).toEqual(['1', '2']);
  const third = await secrets.keep(3);
  expect(third).toEqual([await secrets.value(3), 'secret 2'].map(originDigest));
  expect(kept()).toEqual(['2', '3']);
});
