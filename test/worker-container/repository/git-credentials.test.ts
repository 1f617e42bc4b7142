import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { credentialEnvironment, credentialsFor } from '../../../worker-container/repository/git-credentials.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

/** What git gets as the answer to a prompt. */
async function answer(repository: string, prompt: string): Promise<string> {
  const { protocol, host } = new URL(repository);
  const credentials = credentialsFor(repository, 'APP', `${protocol}//bot%40x:s3cret@${host}`);
  const env = await credentialEnvironment(folder, credentials);
  return spawnSync(env.GIT_ASKPASS ?? '', [prompt], { env }).stdout.toString();
}

test.each(['https://git.example.com/app.git', 'https://git.example.com:8443/app.git', 'https://Git.Example.com/a/b'])(
  'git is answered for the host of %s',
  async (repository) => {
    const host = repository.split('/')[2];
    expect(await answer(repository, `Username for 'https://${host}': `)).toBe('bot@x\n');
    expect(await answer(repository, `Password for 'https://bot%40x@${host}': `)).toBe('s3cret\n');
  },
);

test.each([
  "Username for 'https://other.example': ",
  "Password for 'https://bot@other.example': ",
  "Password for 'https://git.example.com@other.example': ",
  "Password for 'https://other.example/@git.example.com': ",
  "Password for 'https://a@other.example@git.example.com': ",
  "Password for 'http://bot@git.example.com': ",
  "Password for 'https://bot@git.example.com:8443': ",
  "Password for 'https://bot@git.example.com.other.example': ",
  "Username for 'https://git.example.com:8443': ",
  'anything else',
])('git gets no answer at %s', async (prompt) => {
  expect(await answer('https://git.example.com/app.git', prompt)).toBe('');
});

test.each(['https://git.example.com\\@other.example/app.git', 'https:/git.example.com/app.git'])(
  'an address that git reads otherwise gets no credentials: %s',
  (repository) => {
    const line = 'https://bot:s3cret@git.example.com';
    expect(() => credentialsFor(repository, 'APP', line)).toThrow('secret APP is for another host');
  },
);
