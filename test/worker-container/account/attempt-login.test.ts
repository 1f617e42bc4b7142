import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { AttemptLogin } from '../../../worker-container/account/attempt-login.ts';
import type { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { AGENT_FOLDER } from '../../../worker-container/agents/agent.ts';
import { CODEX_HOME } from '../../../worker-container/agents/codex-login.ts';

it("an attempt's copy of the login can be read by its owner alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const held = { text: '{"tokens":{}}', generation: 1 };
  const credentials = { read: async () => held, generation: async () => held.generation } as CredentialFiles;
  const options = { account: undefined, onFailure: () => undefined };
  const login = await AttemptLogin.copyInto(folder, credentials, options);
  const copy = join(folder, AGENT_FOLDER, CODEX_HOME, 'auth.json');
  expect(await readFile(copy, 'utf8')).toBe(held.text);
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(copy))).mode & 0o777).toBe(0o700);
  await login.close();
  await rm(folder, { recursive: true });
});
