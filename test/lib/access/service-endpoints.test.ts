import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ServiceEndpoints } from '../../../lib/access/service-endpoints.ts';

const MINUTE = 60_000;

let folder: string;
let file: string;
let now: number;
let serviceEndpoints: ServiceEndpoints;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  file = join(folder, 'whereabouts.json');
  now = 0;
  serviceEndpoints = new ServiceEndpoints(
    {
      PROMPTQ_PUBLIC_ORIGIN: undefined,
      PROMPTQ_OIDC_ISSUER: undefined,
      PROMPTQ_OIDC_CLIENT_ID: undefined,
      PROMPTQ_WHEREABOUTS_AT: `file:${file}`,
    },
    () => now,
  );
});
afterEach(async () => await rm(folder, { recursive: true }));

const write = async (host: string) =>
  await writeFile(
    file,
    JSON.stringify({
      public_origin: `https://${host}.example.com`,
      issuer: `https://login.${host}.example.com`,
      client_id: host,
    }),
  );

it('a changed domain and provider count within five minutes, and are read no more often', async () => {
  await write('first');
  expect(await serviceEndpoints.publicOrigin()).toBe('https://first.example.com');
  await write('second');
  now += 5 * MINUTE - 1;
  expect(await serviceEndpoints.publicOrigin()).toBe('https://first.example.com');
  now += 1;
  expect(await serviceEndpoints.publicOrigin()).toBe('https://second.example.com');
  expect(await serviceEndpoints.registration()).toEqual({
    issuer: 'https://login.second.example.com',
    clientId: 'second',
  });
});

it('a missing or invalid value is read again at once', async () => {
  expect(await serviceEndpoints.publicOrigin()).toBeUndefined();
  await writeFile(file, '{');
  await expect(serviceEndpoints.publicOrigin()).rejects.toThrow();
  await write('first');
  expect(await serviceEndpoints.publicOrigin()).toBe('https://first.example.com');
});

const NONE = {
  ...{ PROMPTQ_PUBLIC_ORIGIN: undefined, PROMPTQ_WHEREABOUTS_AT: undefined },
  ...{ PROMPTQ_OIDC_ISSUER: undefined, PROMPTQ_OIDC_CLIENT_ID: undefined },
};

it('what the environment says counts, and the rest is read', async () => {
  await write('first');
  const found = async (env: Partial<ConstructorParameters<typeof ServiceEndpoints>[0]>) => {
    const endpoints = new ServiceEndpoints({ ...NONE, PROMPTQ_WHEREABOUTS_AT: `file:${file}`, ...env });
    return [await endpoints.publicOrigin(), await endpoints.registration()];
  };
  const written = { issuer: 'https://login.first.example.com', clientId: 'first' };
  const [issuer, clientId] = ['https://idp.example', 'c'];
  expect(await found({ PROMPTQ_PUBLIC_ORIGIN: 'https://own.example' })).toEqual(['https://own.example', written]);
  expect(await found({ PROMPTQ_OIDC_ISSUER: issuer })).toEqual(['https://first.example.com', written]);
  expect(await found({ PROMPTQ_OIDC_CLIENT_ID: clientId })).toEqual(['https://first.example.com', written]);
  expect(await found({ PROMPTQ_OIDC_ISSUER: issuer, PROMPTQ_OIDC_CLIENT_ID: clientId })).toEqual([
    'https://first.example.com',
    { issuer, clientId },
  ]);
});

it('without a place to read from, or with half of a registration, sign-in is not configured', async () => {
  const nowhere = new ServiceEndpoints(NONE);
  expect([await nowhere.publicOrigin(), await nowhere.registration()]).toEqual([undefined, undefined]);
  for (const half of [{}, { issuer: 'https://login.example.com' }, { client_id: 'c' }]) {
    await writeFile(file, JSON.stringify({ public_origin: 'https://first.example.com', ...half }));
    now += 5 * MINUTE;
    expect(await serviceEndpoints.registration()).toBeUndefined();
  }
});

it('a failed read is repeated, and concurrent callers share one', async () => {
  await writeFile(file, '{');
  const failures = await Promise.allSettled([serviceEndpoints.publicOrigin(), serviceEndpoints.registration()]);
  expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await write('first');
  expect(await serviceEndpoints.publicOrigin()).toBe('https://first.example.com');
});
