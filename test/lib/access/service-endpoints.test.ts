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
