import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../../lib/jobs/receipts/receipt.ts';
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
  await recoverRenewal(folder, credentials, () => false);
  await writeFile(copy, JSON.stringify({ tokens: first }));
  await recoverRenewal(folder, credentials, () => true);
  const unlinked = { ...credentials, read: async () => undefined } as unknown as CredentialFiles;
  await writeFile(copy, JSON.stringify({ tokens: second }));
  await recoverRenewal(folder, unlinked, () => true);
  expect(renewals).toEqual([1]);
});

it('a renewal is written back while the CLI runs and once only, with its generation for the next worker', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const vendor = await PracticeLogins.open(undefined);
  const [first, second, third] = [await vendor.grant('one'), await vendor.grant('one'), await vendor.grant('one')];
  const renewals: [number, string][] = [];
  let isOutdated = false;
  const credentials = {
    read: async () => ({ text: JSON.stringify({ tokens: first }), generation: 4 }),
    renew: async (from: number, text: string) => {
      renewals.push([from, text]);
      return isOutdated ? undefined : from + 1;
    },
  } as unknown as CredentialFiles;
  const failures: unknown[] = [];
  const options = { account: undefined, onFailure: (error: unknown) => void failures.push(error) };
  const login = await AttemptLogin.copyInto(folder, credentials, options);
  onTestFinished(async () => await login.close());
  const noted = async () => await readFile(join(folder, 'login-generation'), 'utf8');
  expect([await noted(), (await stat(join(folder, 'login-generation'))).mode & 0o777]).toEqual(['4', 0o600]);
  expect(login.account).toBe('practice@example.com');
  const copy = join(folder, AGENT_FOLDER, CODEX_HOME, 'auth.json');

  const renewed = JSON.stringify({ tokens: second });
  await writeFile(copy, renewed);
  await expect.poll(noted, { interval: 20 }).toBe('5');
  expect(login.secrets).toEqual(Object.values(second));
  for (const cut of ['', renewed.slice(0, -5)]) {
    await writeFile(copy, cut);
    await login.close();
  }
  await writeFile(copy, renewed);
  await login.close();
  expect(renewals).toEqual([[4, renewed]]);

  // Another attempt was quicker: nothing that follows can be a renewal of the current login.
  isOutdated = true;
  await writeFile(copy, JSON.stringify({ tokens: third }));
  await login.close();
  await writeFile(copy, renewed);
  await login.close();
  expect([renewals.length, await noted(), failures]).toEqual([2, '5', []]);
});

describe('an attempt whose login was refused', () => {
  const refused = { kind: 'parked', reason: 'account_required', exit_code: 1, signal: null } as const;
  const usedUp = { ...refused, error: 'Your refresh token was already used.' };

  /** What becomes of an outcome if the account has these generations, one after the other. */
  async function revised(outcome: Outcome, generations: readonly (number | undefined)[]) {
    const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    let reads = 0;
    const credentials = {
      read: async () => ({ text: '{"tokens":{}}', generation: 7 }),
      generation: async () => {
        reads += 1;
        return generations[Math.min(reads, generations.length) - 1];
      },
    } as unknown as CredentialFiles;
    const login = await AttemptLogin.copyInto(folder, credentials, { account: undefined, onFailure: () => undefined });
    await login.close();
    return { outcome: await login.reviseOutcome(outcome), reads };
  }

  it('runs again without counting if there is a newer one', async () => {
    expect(await revised(refused, [8])).toEqual({ outcome: { ...refused, kind: 'handed_back' }, reads: 1 });
  });

  it('stays parked if the newest is what it renewed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const vendor = await PracticeLogins.open(undefined);
    const [first, second] = [await vendor.grant('one'), await vendor.grant('one')];
    const credentials = {
      read: async () => ({ text: JSON.stringify({ tokens: first }), generation: 7 }),
      renew: async () => 8,
      generation: async () => 8,
    } as unknown as CredentialFiles;
    const login = await AttemptLogin.copyInto(folder, credentials, { account: undefined, onFailure: () => undefined });
    await writeFile(join(folder, AGENT_FOLDER, CODEX_HOME, 'auth.json'), JSON.stringify({ tokens: second }));
    await login.close();
    expect(await login.reviseOutcome(refused)).toEqual(refused);
  });

  it('waits for the attempt that has used its token up, five seconds at most', async () => {
    expect(await revised(usedUp, [7, 7, 8])).toEqual({ outcome: { ...usedUp, kind: 'handed_back' }, reads: 3 });
    expect(await revised(usedUp, [7])).toEqual({ outcome: usedUp, reads: 11 });
  });
});

function jwt(claims: object): string {
  return `${['{}', JSON.stringify(claims)].map((part) => Buffer.from(part).toString('base64url')).join('.')}.s`;
}
