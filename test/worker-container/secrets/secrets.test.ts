import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workerEnv } from '../../../lib/platform/config/worker-env.ts';
import { secretSource } from '../../../worker-container/secrets/secrets.ts';
import { startParameterStore } from '../../stand-ins/parameter-store.ts';
import { REQUIRED_SETTINGS } from '../required-settings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

function source(file: string, variables: Record<string, string> = {}) {
  const env = workerEnv.parse({
    ...REQUIRED_SETTINGS,
    PROMPTQ_SECRETS_FILE: join(folder, file),
  });
  return secretSource(env, variables);
}

it('the environment has precedence over the file, and a name in neither is left out', async () => {
  await writeFile(join(folder, 'private.env'), '# mine\nA=file\nB="two words"\n', { mode: 0o600 });
  expect(Object.fromEntries(await source('private.env', { A: 'environment' }).read(['A', 'B', 'C']))).toEqual({
    A: 'environment',
    B: 'two words',
  });
});

it('a file that others may read is rejected', async () => {
  const path = join(folder, 'open.env');
  await writeFile(path, 'A=1\n');
  for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602]) {
    await chmod(path, mode);
    await expect(source('open.env').read(['A']), mode.toString(8)).rejects.toThrow(/open\.env can be read by others/);
  }
});

it('a missing file has no secrets', async () => {
  expect((await source('none.env').read(['A'])).size).toBe(0);
});

it("a profile's own value in the file comes before what all profiles share", async () => {
  const lines = 'A=shared\nreview/A=for review\nreview/B=only review\nC=shared\n';
  await writeFile(join(folder, 'profiles.env'), lines, { mode: 0o600 });
  const secrets = source('profiles.env', { A: 'environment' });
  const read = async (profile?: string) => Object.fromEntries(await secrets.read(['A', 'B', 'C'], profile));
  expect(await read('review')).toEqual({ A: 'for review', B: 'only review', C: 'shared' });
  expect(await read('other')).toEqual({ A: 'environment', C: 'shared' });
  expect(await read()).toEqual({ A: 'environment', C: 'shared' });
});

it('so does its own parameter, however many names are asked for', async () => {
  const store = await startParameterStore();
  const value = (path: string) =>
    store.parameters.set(`/promptq/team/secrets/${path}`, { type: 'SecureString', value: path });
  const names = Array.from({ length: 12 }, (_, index) => `KEY_${index}`);
  for (const name of names) value(name);
  value('review/KEY_0');
  value('review/KEY_11');
  value('review/OWN');
  const env = workerEnv.parse({ ...REQUIRED_SETTINGS, PROMPTQ_SECRETS_PATH: '/promptq/team/secrets/' });
  const ssm = new SSMClient({
    endpoint: store.endpoint,
    region: 'local',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  try {
    const secrets = secretSource(env, {}, () => ssm);
    const shared = Object.fromEntries(names.map((name) => [name, name]));
    const own = { KEY_0: 'review/KEY_0', KEY_11: 'review/KEY_11', OWN: 'review/OWN' };
    expect(Object.fromEntries(await secrets.read([...names, 'OWN'], 'review'))).toEqual({ ...shared, ...own });
    expect(Object.fromEntries(await secrets.read([...names, 'OWN'], 'other'))).toEqual(shared);
    expect(Object.fromEntries(await secrets.read([...names, 'OWN']))).toEqual(shared);
  } finally {
    ssm.destroy();
    store.close();
  }
});
