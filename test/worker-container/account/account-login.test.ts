import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endedLogin, LOGIN, started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { askLogin } from '../../../lib/accounts/ask-login.ts';
import { PracticeLogins } from '../../../lib/local/practice-vendor/logins.ts';
import { type LoginContext, runLogin } from '../../../worker-container/account/account-login.ts';
import { CredentialFiles } from '../../../worker-container/account/credential-files.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

let deployment: EmulatedDeployment;
let accounts: AccountStore;
let auth: string;
let folder: string;
let linked: number;
let context: LoginContext;

beforeAll(async () => {
  deployment = await emulateDeployment();
  const vendor = await PracticeLogins.open(undefined);
  auth = JSON.stringify({ tokens: await vendor.grant('one') });
});
afterAll(async () => await deployment.stop());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-login-'));
  accounts = new AccountStore({ ...deployment.registry, world: 'real' });
  await accounts.change('codex', ({ version }) => ({ version, generation: 0, discarded: [] }));
  const { worker } = await openWorker(deployment);
  linked = 0;
  context = {
    env: { ...worker.env, PROMPTQ_VENDOR: 'real', PROMPTQ_CODEX_BIN: join(folder, 'codex') },
    vendor: 'codex',
    accounts,
    account: undefined,
    credentials: new CredentialFiles(join(folder, 'credentials'), accounts, 'codex'),
    workerId: 'worker-under-test',
    markPrefix: `${folder}/`,
    log: new Logger({ serviceName: 'test', logLevel: 'SILENT' }),
    onLinked: async () => {
      linked += 1;
    },
  };
});
afterEach(async () => await rm(folder, { recursive: true }));

const PROMPT = "echo 'https://vendor.example/device'; echo '(expires in 15 minutes)'; echo 'WXYZ-98765'";
const UNTIL_APPROVED = 'until [ -e "$OURS/approved" ] || [ ! -d "$OURS" ]; do sleep 0.02; done';
const WRITE_LOGIN = 'cp "$OURS/auth" "$CODEX_HOME/auth.json"';

/** Runs a login by a CLI that does this after it was started, and waits for its end. */
async function login(script: readonly string[], { stopping = new AbortController().signal, id = 'login' } = {}) {
  await writeFile(join(folder, 'auth'), auth);
  const lines = [
    '#!/bin/bash',
    `OURS='${folder}'`,
    'echo "$*" >> "$OURS/calls"',
    'if [ "$1" = logout ]; then cp "$CODEX_HOME/auth.json" "$OURS/revoked"; exit 0; fi',
    ...script,
  ];
  await writeFile(join(folder, 'codex'), lines.join('\n'));
  await chmod(join(folder, 'codex'), 0o755);
  const { login: wanted } = (await accounts.change('codex', (account, now) => started(account, id, now))) ?? {};
  if (wanted === undefined) throw new Error('no login began');
  await runLogin(context, wanted, stopping);
  return (await accounts.read('codex')).login;
}

const calls = async () => (await readFile(join(folder, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const stored = async () => await context.credentials.read();
const state = async () => (await accounts.read('codex')).login?.state;

it('an approved login links the account, under the name that the vendor has for it, and leaves no folder behind', async () => {
  const running = login([PROMPT, UNTIL_APPROVED, WRITE_LOGIN]);
  await expect.poll(state, { interval: 20 }).toBe('awaiting_user');
  const { listener } = (await accounts.read('codex')).login ?? {};
  if (listener === undefined) throw new Error('it does not listen');
  const answer = await askLogin({ login_id: 'login', listener });
  expect(answer).toMatchObject({
    kind: 'prompt',
    prompt: { login_id: 'login', verification_uri: 'https://vendor.example/device', user_code: 'WXYZ-98765' },
  });
  const expiry = answer.kind === 'prompt' ? (answer.prompt.expires_at ?? '') : '';
  expect(Math.abs(Date.parse(expiry) - Date.now() - 900_000)).toBeLessThan(60_000);
  expect(linked).toBe(0);
  await writeFile(join(folder, 'approved'), '');
  expect(await running).toMatchObject({ state: 'linked' });
  expect(linked).toBe(1);
  expect(await stored()).toEqual({ text: auth, generation: 1 });
  const { credential } = await accounts.read('codex');
  expect(credential?.account).toBe(JSON.parse(claimsOf(auth)).email);
  expect(await askLogin({ login_id: 'login', listener })).toEqual({ kind: 'gone' });
  expect(await readdir(join(context.env.PROMPTQ_WORK_DIR, 'logins'))).toEqual([]);
  expect(await calls()).toEqual(['login --device-auth']);
});

describe('a login that links nothing', () => {
  it('and was denied says so', async () => {
    const denied = [PROMPT, "echo 'Error logging in: device auth failed with status 403 Forbidden' >&2", 'exit 1'];
    expect(await login(denied)).toMatchObject({ state: 'failed', error: 'The login was denied at the vendor.' });
    expect([await stored(), linked]).toEqual([undefined, 0]);
    expect(await calls()).toEqual(['login --device-auth']);
  });

  it('never shows its code', async () => {
    const odd = [PROMPT, UNTIL_APPROVED, "echo 'Error WXYZ-98765 is odd' >&2", 'exit 1'];
    const running = login(odd);
    await expect.poll(state, { interval: 20 }).toBe('awaiting_user');
    await writeFile(join(folder, 'approved'), '');
    const { error } = (await running) ?? {};
    expect(error).toContain('is odd');
    expect(error).not.toContain('98765');
  });

  it('and whose CLI failed although it wrote one has that revoked', async () => {
    expect(await login([PROMPT, WRITE_LOGIN, 'exit 3'])).toMatchObject({ state: 'failed' });
    expect([await stored(), linked]).toEqual([undefined, 0]);
    expect(await calls()).toEqual(['login --device-auth', 'logout']);
    expect(await readFile(join(folder, 'revoked'), 'utf8')).toBe(auth);
  });

  it('and is cancelled stays cancelled, is ended, and what it had got is revoked', async () => {
    const running = login([PROMPT, WRITE_LOGIN, 'exec sleep 60']);
    await expect.poll(state, { interval: 20 }).toBe('awaiting_user');
    await accounts.change('codex', (account) => endedLogin(account, 'login', { state: 'cancelled' }));
    expect(await running).toMatchObject({ state: 'cancelled' });
    expect([await stored(), linked]).toEqual([undefined, 0]);
    expect(await readFile(join(folder, 'revoked'), 'utf8')).toBe(auth);
  });

  it('and whose code expires says so', async () => {
    const expiring = PROMPT.replace('15 minutes', '0 minutes');
    const error = 'The code was not entered in time.';
    expect(await login([expiring, 'exec sleep 60'])).toMatchObject({ state: 'expired', error });
  });

  it('and whose worker stops says so, also if that was before its start', async () => {
    const stop = new AbortController();
    const error = 'The worker was stopped; start the login again.';
    const running = login([PROMPT, 'exec sleep 60'], { stopping: stop.signal });
    await expect.poll(state, { interval: 20 }).toBe('awaiting_user');
    stop.abort();
    expect(await running).toMatchObject({ state: 'failed', error });
    const again = await login(['exec sleep 60'], { stopping: AbortSignal.abort(), id: 'again' });
    expect(again).toMatchObject({ id: 'again', state: 'failed', error });
  });
});

it('a login that another worker has is not run a second time', async () => {
  const listener = { address: '127.0.0.1', port: 1, nonce: 'of another' };
  await accounts.change('codex', (account, now) => {
    const { login: wanted, ...rest } = started(account, 'login', now);
    const lease_until = new Date(now + LOGIN.lease).toISOString();
    return wanted && { ...rest, login: { ...wanted, worker_id: 'another', listener, lease_until } };
  });
  expect(await login([PROMPT])).toMatchObject({ state: 'starting', worker_id: 'another' });
  expect(await calls()).toEqual([]);
});

function claimsOf(text: string): string {
  const { tokens } = JSON.parse(text) as { tokens: { id_token: string } };
  return Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString();
}
