import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PracticeLogins } from '../../../lib/local/practice-vendor/logins.ts';
import { AttemptLogin, recoverRenewal } from '../../../worker-container/account/attempt-login.ts';
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

it('what a job writes in place of its login replaces the only one of the deployment if it can be its renewal', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const vendor = await PracticeLogins.open(undefined);
  const [first, second] = [await vendor.grant('one'), await vendor.grant('one')];
  const stored = { text: JSON.stringify({ tokens: first }), generation: 1 };
  const credentials = {
    read: async () => stored,
    renew: async (_from: number, text: string) =>
      Object.assign(stored, { text, generation: stored.generation + 1 }).generation,
  } as Partial<CredentialFiles> as CredentialFiles;
  const warnings: unknown[] = [];
  const options = { account: undefined, onFailure: (error: unknown) => void warnings.push(error) };
  const login = await AttemptLogin.copyInto(folder, credentials, options);
  const copy = join(folder, AGENT_FOLDER, CODEX_HOME, 'auth.json');

  const ofOther = { chatgpt_account_id: 'other', chatgpt_user_id: 'practice-user' };
  const others = jwt({ jti: '1', 'https://api.openai.com/auth': ofOther });
  const none = { id_token: 'i', access_token: 'a', refresh_token: 'r' };
  for (const [index, tokens] of [
    none,
    { ...first, refresh_token: 'r' },
    { ...second, refresh_token: '+'.repeat(16_000) },
    { ...second, access_token: 'a' },
    { ...second, id_token: '***' },
    { ...second, id_token: others },
    { ...second, access_token: others },
    { ...second, access_token: jwt({ jti: '2' }) },
  ].entries()) {
    await writeFile(copy, JSON.stringify({ tokens }));
    for (const _time of ['once', 'twice']) await login.close();
    await recoverRenewal(folder, credentials, () => true);
    expect(stored.generation).toBe(1);
    expect(warnings).toHaveLength(index + 1);
  }
  expect(login.secrets).toEqual(Object.values(first));

  const renewed = JSON.stringify({ tokens: second });
  await writeFile(copy, renewed);
  await login.close();
  expect(stored).toEqual({ text: renewed, generation: 2 });
});

it('a login of an attempt that noted no generation replaces none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const vendor = await PracticeLogins.open(undefined);
  const [first, second] = [await vendor.grant('one'), await vendor.grant('one')];
  const renewals: number[] = [];
  const credentials = {
    read: async () => ({ text: JSON.stringify({ tokens: first }), generation: 1 }),
    renew: async (generation: number) => void renewals.push(generation),
  } as unknown as CredentialFiles;
  const copy = join(folder, AGENT_FOLDER, CODEX_HOME, 'auth.json');
  await mkdir(dirname(copy), { recursive: true });
  await writeFile(copy, JSON.stringify({ tokens: second }));
  await recoverRenewal(folder, credentials, () => true);
  expect(renewals).toEqual([]);
  await writeFile(join(folder, 'login-generation'), '1');
  await recoverRenewal(folder, credentials, () => true);
  expect(renewals).toEqual([1]);
});

function jwt(claims: object): string {
  return `${['{}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.s`;
}
