import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/triggers/keep-origin-secret.ts';
import { cameThroughDistribution } from '../../../lib/access/origin-secret.ts';
import { ORIGIN_SECRET_HEADER } from '../../../lib/platform/config/edge-headers.ts';
import { STORE_FORMAT } from '../../../lib/platform/store-format.ts';
import { startCloudFormation } from '../../stand-ins/cloudformation.ts';
import { startParameterStore } from '../../stand-ins/parameter-store.ts';

const FOLDER = '/promptq-data/origin-secret';
let store: Awaited<ReturnType<typeof startParameterStore>>;
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;

beforeAll(async () => {
  store = await startParameterStore();
  cloudFormation = await startCloudFormation(handler);
  const env = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_ENDPOINT_URL_SSM: store.endpoint,
    ORIGIN_SECRET_FOLDER: FOLDER,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  await cloudFormation.stop();
  store.close();
  vi.unstubAllEnvs();
});
beforeEach(() => store.parameters.clear());

const keep = async (type: 'Create' | 'Update' | 'Delete', version: number) =>
  await cloudFormation.ask(type, { Brings: 'digests', Version: String(version) });
const bring = async (type: 'Create' | 'Update' | 'Delete', version: number) =>
  await cloudFormation.ask(type, { Brings: 'value', Version: String(version) });
const keyOf = async (version: number) =>
  await cloudFormation.ask('Create', { Brings: 'gateway-key', Version: String(version) });
const digestsOf = (answer: Awaited<ReturnType<typeof keep>>) => (answer.Data?.Digests ?? '').split(',');
const admits = (digests: readonly string[], secret: string | undefined) =>
  cameThroughDistribution({ [ORIGIN_SECRET_HEADER]: secret }, digests);

test("the functions get the digest of the distribution's secret, which is never shown", async () => {
  const kept = await keep('Create', 1);
  const brought = await bring('Create', 1);
  const secret = brought.Data?.Value;
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(digestsOf(kept)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(admits(digestsOf(kept), secret)).toBe(true);
  expect([kept.NoEcho, brought.NoEcho]).toEqual([false, true]);
  expect(JSON.stringify(kept)).not.toContain(secret);
  expect([...store.parameters]).toEqual([[`${FOLDER}/1`, { type: 'SecureString', value: secret }]]);
});

test('a repeated call, as CloudFormation may send it, changes nothing', async () => {
  const [first, again] = [await keep('Create', 1), await keep('Create', 1)];
  expect(again.Data).toEqual(first.Data);
});

test('both secrets are valid during a replacement, and a rollback restores the former one', async () => {
  const first = await keep('Create', 1);
  const old = (await bring('Create', 1)).Data?.Value;
  const second = digestsOf(await keep('Update', 2));
  const next = (await bring('Update', 2)).Data?.Value;
  expect(next).not.toBe(old);
  expect([admits(second, old), admits(second, next)]).toEqual([true, true]);
  expect((await keep('Update', 1)).Data).toEqual(first.Data);
  const third = digestsOf(await keep('Update', 3));
  expect([admits(third, old), admits(third, next)]).toEqual([false, true]);
  expect([...store.parameters.keys()]).toEqual([`${FOLDER}/2`, `${FOLDER}/3`]);
});

test('they are deleted with the stack that created them, not with the one that reads them', async () => {
  for (const version of [1, 2]) await keep('Update', version);
  expect((await bring('Delete', 2)).Status).toBe('SUCCESS');
  expect(store.parameters.size).toBe(2);
  expect((await keep('Delete', 2)).Status).toBe('SUCCESS');
  expect(store.parameters.size).toBe(0);
});

test('the secrets of all versions are deleted, however many there were', async () => {
  const versions = Array.from({ length: 23 }, (_, at) => at + 1);
  for (const version of versions)
    store.parameters.set(`${FOLDER}/${version}`, { type: 'SecureString', value: String(version) });
  expect((await keep('Delete', 23)).Status).toBe('SUCCESS');
  expect(store.parameters.size).toBe(0);
});

test('a missing secret fails the deployment', async () => {
  expect(await bring('Create', 7)).toMatchObject({
    Status: 'FAILED',
    Reason: 'there is no origin secret of version 7',
  });
});

test('API Gateway and the distribution get the same key, which is derived from the secret and does not reveal it', async () => {
  await keep('Create', 1);
  const made = await keyOf(1);
  const key = made.Data?.GatewayKey;
  // Letters and digits, 20 to 128 of them.
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(made.NoEcho).toBe(true);
  expect((await keyOf(1)).Data?.GatewayKey).toBe(key);
  const brought = (await bring('Create', 1)).Data;
  expect(brought?.GatewayKey).toBe(key);
  const digests = digestsOf(await keep('Update', 1));
  expect([admits(digests, key), digests.includes(String(key))]).toEqual([false, false]);
  await keep('Update', 2);
  expect((await keyOf(2)).Data?.GatewayKey).not.toBe(key);
  expect((await keyOf(1)).Data?.GatewayKey).toBe(key);
});

test('an unknown version gets a key that no one knows', async () => {
  await keep('Create', 3);
  const [one, another] = [(await keyOf(2)).Data?.GatewayKey, (await keyOf(2)).Data?.GatewayKey];
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(another).not.toBe(one);
  expect([...store.parameters.keys()]).toEqual([`${FOLDER}/3`]);
});

test.each([
  ['of before the first release', {}],
  ['0', { StoreFormat: '0' }],
])(
  'an update of a deployment whose data has format %s fails with what to do, and its rollback works',
  async (_, old) => {
    const first = await keep('Create', 1);
    const [before, next] = [
      { Brings: 'digests', Version: '1', ...old },
      { Brings: 'digests', Version: '1', StoreFormat: STORE_FORMAT },
    ];
    const { Status, Reason } = await cloudFormation.ask('Update', next, before);
    expect([Status, Reason]).toEqual(['FAILED', expect.stringContaining('another deploymentName')]);
    expect(await cloudFormation.ask('Update', before, next)).toMatchObject({ Status: 'SUCCESS', Data: first.Data });
    expect(await cloudFormation.ask('Update', next)).toMatchObject({ Status: 'SUCCESS', Data: first.Data });
  },
);
