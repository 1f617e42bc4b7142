import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { TokenStore } from '../../lib/access/tokens/token-store.ts';
import { defaultHome } from '../../lib/local/run/default-home.ts';
import { type EmulatedDeployment, emulateDeployment } from '../stand-ins/emulated-deployment.ts';
import { runHere } from './run-here.ts';

let deployment: EmulatedDeployment;
/** Whether scopes are enforced at the target. */
let isEnforced: boolean | undefined;
/** Another registry than that of the deployment. */
let registry: object | undefined;
/** The targets that the command opened. */
let targets: unknown[] = [];

vi.mock('../../lib/local/operator/operator-registry.ts', () => ({
  async withOperatorRegistry(target: unknown, work: (registry: unknown) => Promise<unknown>) {
    targets.push(target);
    return await work(registry ?? onClock());
  },
}));
vi.mock('../../lib/local/operator/scope-enforcement.ts', () => ({ readScopeEnforcement: async () => isEnforced }));

const NOW = Date.parse('2026-11-27T20:00:00.000Z');

/** The registry, at a time that does not pass. */
const onClock = () => ({ ...deployment.registry, clock: { now: () => NOW } });

beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(() => {
  [isEnforced, registry, targets] = [true, undefined, []];
  vi.stubEnv('PROMPTQ_HOME', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const token = async (...args: string[]) => await runHere(async () => await import('../../bin/token.ts'), args);
const created = async (...args: string[]) =>
  JSON.parse((await token('create', '--name', 'x', '--json', ...args)).stdout) as Record<string, unknown>;

it.each([
  [true, ''],
  [false, '\nScopes are not enforced here: this token has full access.\n'],
  [undefined, '\nScopes limit tokens only where the deployment enforces them (setting scopeEnforcement).\n'],
])('a new token is printed once, with its scopes, which are enforced: %j', async (enforced, note) => {
  isEnforced = enforced;
  const { code, stdout } = await token('create', '--name', 'ci', '--scopes', 'write, read');
  const [text = '', id = ''] = [...(/^(pq_\S+)\n\nid {7}(\S+)/.exec(stdout)?.slice(1) ?? [])];
  expect([code, stdout]).toEqual([
    0,
    `${text}\n\nid       ${id}\nscopes   read, write\nexpires  never\n${note}\nThis is the only time the token is shown.\n`,
  ]);
});

it('a new token may read and write, and says whether its scopes are enforced', async () => {
  expect(await created()).toMatchObject({ scopes: ['read', 'write'], scopes_enforced: true, scopes_note: null });
  isEnforced = false;
  expect(await created()).toMatchObject({ scopes_enforced: false });
  isEnforced = undefined;
  expect(await created()).not.toHaveProperty('scopes_enforced');
});

it.each([
  ['2s', 2_000],
  ['30m', 1_800_000],
  ['12h', 43_200_000],
  ['90d', 7_776_000_000],
  ['000001s', 1_000],
])('a token that expires in %s does so after %d milliseconds', async (duration, milliseconds) => {
  const { expires_at: expiry } = await created('--expires-in', duration);
  expect(Date.parse(String(expiry)) - NOW).toBe(milliseconds);
});

it.each<[string, string[], string]>([
  ['an empty name', ['create', '--name', ' '], 'it is empty'],
  ['no name', ['create'], "required option '--name <name>' not specified"],
  ['unknown scopes', ['create', '--name', 'x', '--scopes', 'read,fly'], 'unknown: fly; known: read, write, logs'],
  ...['soon', '0d', '1', '1w', '1234567s', '-1d', '1.5h'].map((text): [string, string[], string] => [
    text,
    ['create', '--name', 'x', `--expires-in=${text}`],
    'expected a number and s, m',
  ]),
  ['an unknown token', ['suspend', 'tok_none'], 'token tok_none does not exist; `list` shows all tokens'],
])('refuses %s', async (_, args, message) => {
  const { code, stdout, stderr } = await token(...args);
  expect([code, stdout, stderr.startsWith('error: ')]).toEqual([1, '', true]);
  expect(stderr).toContain(message);
});

it('suspends, resumes and revokes a token, which then stays revoked', async () => {
  const { id } = await created('--scopes', 'admin');
  const line = (state: string) => `${id}  ${state}  admin       never expires  never used  x\n`;
  expect((await token('suspend', String(id))).stdout).toBe(line('suspended'));
  expect((await token('resume', String(id))).stdout).toBe(line('active   '));
  expect(JSON.parse((await token('revoke', String(id), '--json')).stdout)).toMatchObject({ id, state: 'revoked' });
  expect(await token('resume', String(id))).toMatchObject({
    code: 1,
    stderr: `error: token ${id} is revoked permanently; create another one\n`,
  });
});

it.each([
  [true, ''],
  [false, '\nScopes are not enforced here: every token has full access.\n'],
  [undefined, '\nScopes limit tokens only where the deployment enforces them (setting scopeEnforcement).\n'],
])('lists tokens, with when they expire, and whether their scopes are enforced: %j', async (enforced, note) => {
  const [active, revoked] = [await created('--expires-in', '1d'), await created()];
  await token('revoke', String(revoked.id));
  isEnforced = enforced;
  const { stdout } = await token('list');
  expect(stdout).toContain(`${active.id}  active     read,write  expires 2026-11-28T20:00:00.000Z  never used  x\n`);
  expect(stdout.endsWith(`\n${note}`)).toBe(true);
  expect(stdout.includes('\n\n')).toBe(note !== '');
  const listed: Record<string, unknown>[] = JSON.parse((await token('list', '--json')).stdout);
  const ofIds = [active, revoked].map(({ id }) => listed.find((one) => one.id === id)?.scopes_enforced);
  expect(ofIds).toEqual(enforced === undefined ? [undefined, undefined] : [enforced, enforced]);
});

it('says when a token was used last, and if there are none', async () => {
  const { id, token: text } = await created();
  await new TokenStore(onClock()).verify(String(text));
  expect((await token('list')).stdout).toContain(
    `${id}  active     read,write  never expires  last used 2026-11-27T20:00:00.000Z  x\n`,
  );
  registry = { table: { send: async () => ({ Items: [] }) }, registryTable: 'empty', clock: { now: () => NOW } };
  expect(await token('list')).toMatchObject({ code: 0, stdout: 'There are no tokens.\n' });
});

it('opens the local run of its home, or a deployed stack', async () => {
  await token('list');
  vi.stubEnv('PROMPTQ_HOME', '/of/env');
  await token('list');
  await token('list', '--home', '/of/option');
  await token('--stack', 's', 'list');
  expect(targets).toEqual([
    { home: defaultHome() },
    { home: '/of/env' },
    { home: '/of/option' },
    { home: '/of/env', stack: 's' },
  ]);
});
