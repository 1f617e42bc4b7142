import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workerEnv } from '../../lib/config/env.ts';
import { secretSource } from '../../worker-container/secrets.ts';
import { REQUIRED_SETTINGS } from './required-settings.ts';

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

it('the environment comes before the file, and what is in neither is left out', async () => {
  await writeFile(join(folder, 'private.env'), '# mine\nA=file\nB="two words"\n', { mode: 0o600 });
  expect(Object.fromEntries(await source('private.env', { A: 'environment' }).read(['A', 'B', 'C']))).toEqual({
    A: 'environment',
    B: 'two words',
  });
});

it('a file that others may read is refused', async () => {
  const path = join(folder, 'open.env');
  await writeFile(path, 'A=1\n');
  await chmod(path, 0o644);
  await expect(source('open.env').read(['A'])).rejects.toThrow(/open\.env can be read by others/);
});

it('without a file there are none', async () => {
  expect((await source('none.env').read(['A'])).size).toBe(0);
});
