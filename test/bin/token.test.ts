import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { runToken, runTokenIn } from './token-command.ts';
import { WITHOUT_SDK } from './without-package.ts';

let service: OwnService;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  service = await startService({ home, env: { PROMPTQ_API_SCOPE_ENFORCE: '1' } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

/** Runs the operator's command on the home. */
const token = async (...args: string[]) => await runToken(home, ...args);

interface Created {
  readonly id: string;
  readonly token: string;
  readonly scopes: string[];
  readonly expires_at: string;
}

async function create(...args: string[]): Promise<Created> {
  const { stdout, stderr } = await token('create', '--name', 'a test', '--json', ...args);
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  return JSON.parse(stdout);
}

/** Checks, too, that the token lasts as long as it is to last. */
async function createToLast(given: string, milliseconds: number, ...args: string[]): Promise<Created> {
  const before = Date.now();
  const made = await create('--expires-in', given, ...args);
  expect(Date.parse(made.expires_at)).toBeGreaterThanOrEqual(before + milliseconds);
  expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(Date.now() + milliseconds);
  return made;
}

async function call(text: string, method = 'GET', path = '/health', body?: unknown) {
  const { status, json } = await service.api(method, path, body, { authorization: `Bearer ${text}` });
  return { status, required: json.details?.required_scope };
}

describe('a token created by the command', () => {
  it('may read and write by default', async () => {
    const made = await create();
    expect(made.scopes).toEqual(['read', 'write']);
    expect(await call(made.token)).toEqual({ status: 200, required: undefined });
    expect(await call(made.token, 'POST', '/jobs', { prompt: 'x', draft: true })).toEqual({
      status: 201,
      required: undefined,
    });
    expect(await call(made.token, 'GET', '/jobs/none/result')).toEqual({ status: 403, required: 'logs' });
    expect(await call(made.token, 'GET', '/nowhere')).toEqual({ status: 403, required: 'admin' });
  });

  it('may do everything with admin, and nothing beyond its scopes', async () => {
    const admin = await createToLast('12h', 43_200_000, '--scopes', 'admin');
    expect(await call(admin.token, 'GET', '/jobs/none/logs')).toEqual({ status: 404, required: undefined });
    expect(await call(admin.token, 'GET', '/nowhere')).toEqual({ status: 404, required: undefined });
    const logs = await createToLast('90d', 7_776_000_000, '--scopes', 'logs');
    expect(await call(logs.token)).toEqual({ status: 403, required: 'read' });
    expect(await call(logs.token, 'POST', '/jobs', '{')).toEqual({ status: 403, required: 'write' });
  });

  it('is rejected at once while it is suspended, and permanently once it is revoked', async () => {
    const made = await createToLast('30m', 1_800_000);
    await token('suspend', made.id);
    expect((await call(made.token)).status).toBe(401);
    await token('resume', made.id);
    expect((await call(made.token)).status).toBe(200);
    await token('revoke', made.id);
    expect((await call(made.token)).status).toBe(401);
    expect(await token('resume', made.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is revoked permanently'),
    });
    expect((await call(made.token)).status).toBe(401);
  });

  it('expires', async () => {
    const made = await createToLast('5s', 5_000);
    const { status } = await call(made.token);
    // On a machine that was paused meanwhile it has expired.
    if (Date.now() < Date.parse(made.expires_at)) expect(status).toBe(200);
    await waitFor(async () => (await call(made.token)).status === 401);
  });

  it('is listed without being shown, and without a warning if scopes are enforced', async () => {
    const made = await create();
    expect(made).toMatchObject({ scopes_enforced: true, scopes_note: null });
    const { stdout } = await token('list');
    expect(stdout).not.toContain('enforced');
    expect(stdout).toContain(made.id);
    expect(stdout).not.toContain(made.token);
    expect(stdout).not.toMatch(/pq_/);
  });

  it('is printed for people without a warning if scopes are enforced', async () => {
    expect((await token('create', '--name', 'x')).stdout).not.toContain('enforced');
  });
});

describe('wrong usage is rejected with what is allowed', () => {
  it('before the SDK is loaded', async () => {
    const { code, stderr } = await runTokenIn(WITHOUT_SDK, ['create']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('--name')]);
  });

  for (const [args, sentence] of [
    [['create', '--name', ' '], 'it is empty'],
    [['create', '--name', 'x', '--scopes', 'read,fly'], 'unknown: fly; known: read, write, logs, attachments, admin'],
    [['create', '--name', 'x', '--expires-in', 'soon'], 'for example 90d'],
    [['create', '--name', 'x', '--expires-in', '0d'], 'for example 90d'],
    [['revoke', 'tok_none'], 'token tok_none does not exist'],
    [['list', '--home', '/nowhere/at/all'], 'is no home of a local run'],
  ] as const) {
    it(args.join(' '), async () => {
      const { code, stderr } = await token(...args);
      expect(code).toBe(1);
      expect(stderr).toContain(sentence);
    });
  }
});

it('works on a home without a running service', async () => {
  await service.stop({ keepHome: true });
  const made = await create('--scopes', 'read');
  service = await startService({ home });
  expect((await call(made.token)).status).toBe(200);
});

it('warns that scopes are not enforced', async () => {
  const made = await token('create', '--name', 'x', '--scopes', 'read');
  expect(made.stdout).toContain('\nScopes are not enforced here: this token has full access.\n');
  expect((await token('list')).stdout).toContain('\nScopes are not enforced here: every token has full access.\n');
  expect(await create()).toMatchObject({
    scopes_enforced: false,
    scopes_note: 'Scopes are not enforced here: this token has full access.',
  });
});
