import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '@telegram-apps/init-data-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SessionStore } from '../../../lib/access/sessions/session-store.ts';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { ERRORS } from '../../../lib/contract/errors.ts';
import { ROLES } from '../../../lib/contract/roles.ts';
import { COMMON_ERRORS, type Route } from '../../../lib/contract/route.ts';
import { RECORD_SCOPES } from '../../../lib/contract/routes/record.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { SCOPES, type Scope } from '../../../lib/contract/scopes.ts';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { type OwnService, type ServiceUnderTest, startService } from '../../local-run/local-service.ts';
import { amount } from '../../vitest/amount.ts';

const PERIMETER = randomBytes(24).toString('hex');
const BOT = `110201543:${randomBytes(18).toString('hex')}`;

/** The address of the service for browsers. */
const ORIGIN = 'http://127.0.0.1';

/** The callers, and the routes that are open to each: by scopes, all, or none. */
interface Column {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly may: { readonly scopes: readonly Scope[]; readonly isPerson: boolean } | 'all' | 'nothing';
  readonly managesTokens?: boolean;
}

/** A called route, and the scope that it needs. */
interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly scope: Scope;
  /** Scopes that it needs besides, in the order in which it asks for them. */
  readonly further?: readonly Scope[];
  /** Statuses of an authorized call. */
  readonly answers: readonly number[];
  readonly only?: Route['auth']['only'];
}

const ROUTES: readonly Row[] = routes.map((route: Route) => ({
  name: route.id,
  method: route.method,
  path: route.path.replaceAll(/\{[a-z_]+\}/g, 'none'),
  scope: route.auth.scope,
  ...(route.auth.only && { only: route.auth.only }),
  ...(route.id === 'jobs.record' && { further: RECORD_SCOPES }),
  answers: [
    ...Object.keys(route.responses).map(Number),
    ...[...route.errors, ...COMMON_ERRORS].map((code) => ERRORS[code].status),
  ].filter((status) => status < 500 && status !== 401 && status !== 403),
}));
const NO_ROUTES: readonly Row[] = (
  [
    ['GET', '/nowhere', 'admin'],
    ['DELETE', '/jobs', 'admin'],
    ['OPTIONS', '/jobs', 'admin'],
    ['POST', '/terminal-sessions', 'write'],
    ['GET', '/terminal-sessions/7/output', 'logs'],
  ] as const
).map(([method, path, scope]) => ({ name: `${method} ${path}`, method, path, scope, answers: [404] }));

const ROWS_AT_ONCE = 4;

/**
 * The setting is applied in one place to what a route declares. So all rows are tried with enforcement, and without it
 * one route for each scope and kind of principal, in the long run: `test/lib/access/authorize.test.ts` tries both.
 */
const ROWS = {
  on: [...ROUTES, ...NO_ROUTES],
  off: [...new Map(ROUTES.map((row) => [`${row.scope} ${row.only ?? ''}`, row])).values(), ...NO_ROUTES],
};
const ENFORCED = amount([true], [true, false]);

/**
 * Each route judges callers that were recognized before, in one place for all routes. So of the callers without rights
 * each route meets the one without credentials, and one in so many of the others in turn.
 */
const ONE_IN = amount(4, 1);
const meets = (row: number, column: Column, at: number) =>
  column.may !== 'nothing' || column.name === 'none' || (row + at) % ONE_IN === 0;

/** Their answers depend on concurrent rows: a login is pending or not. */
const CHANGING = new Set(['codex-account.cancel']);

const BY_ROLE: Record<(typeof ROLES)[number], readonly Scope[]> = {
  viewer: ['read', 'logs', 'attachments'],
  operator: ['read', 'logs', 'attachments', 'write'],
  admin: SCOPES,
};

/** Creates a session with each role, directly in the store. */
async function sessionColumns({ home }: ServiceUnderTest): Promise<Column[]> {
  return await withOperatorRegistry({ stack: undefined, home }, async (registry) => {
    const columns: Column[] = [];
    for (const role of ROLES) {
      const store = new SessionStore({ ...registry, idleSeconds: 600, maxSeconds: 600 });
      const { cookie } = await store.start({ subject: role, email: `${role}@example.com`, role });
      const headers = { cookie: `promptq=${cookie}; __Host-promptq=${cookie}`, origin: ORIGIN };
      const may = { scopes: BY_ROLE[role], isPerson: true };
      columns.push({ name: `s. ${role}`, headers, may, managesTokens: role === 'admin' });
    }
    const store = new SessionStore({ ...registry, idleSeconds: 0, maxSeconds: 0 });
    const { cookie } = await store.start({ subject: 'x', email: undefined, role: 'admin' });
    columns.push({
      name: 's. over',
      headers: { cookie: `promptq=${cookie}; __Host-promptq=${cookie}` },
      may: 'nothing',
    });
    return columns;
  });
}

/** Adds tokens of every kind to a running service. */
async function tokenColumns(service: ServiceUnderTest): Promise<Column[]> {
  return await withOperatorRegistry({ stack: undefined, home: service.home }, async (registry) => {
    const store = new TokenStore(registry);
    const make = async (name: string, scopes: readonly Scope[], expiresIn?: number) => {
      const made = await store.create({ name, scopes, ...(expiresIn !== undefined && { expiresIn }) });
      return { id: made.id, headers: { authorization: `Bearer ${made.token}` } };
    };
    const columns: Column[] = [];
    for (const scope of SCOPES) {
      const { headers } = await make(scope, [scope]);
      columns.push({ name: scope, headers, may: { scopes: [scope], isPerson: false } });
    }
    for (const state of ['suspended', 'revoked'] as const) {
      const { id, headers } = await make(state, SCOPES);
      await store.setState(id, state);
      columns.push({ name: state, headers, may: 'nothing' });
    }
    columns.push({ name: 'expired', headers: (await make('expired', SCOPES, -1)).headers, may: 'nothing' });
    return columns;
  });
}

async function columnsOf(service: ServiceUnderTest): Promise<Column[]> {
  const token = generateToken();
  return [
    { name: 'none', headers: {}, may: 'nothing' },
    ...(await tokenColumns(service)),
    { name: 'unknown', headers: { authorization: `Bearer ${token}` }, may: 'nothing' },
    { name: 'malformed', headers: { 'x-api-token': token.slice(0, -1) }, may: 'nothing' },
    { name: 'perimeter', headers: { 'x-perimeter-token': PERIMETER }, may: 'all' },
    { name: 'p. wrong', headers: { 'x-perimeter-token': `${PERIMETER}x` }, may: 'nothing' },
    ...(await sessionColumns(service)),
    ...ROLES.map((role, at): Column => {
      const initData = sign({ user: { id: at + 1, first_name: 'Ada' } }, BOT, new Date());
      return {
        name: `t. ${role}`,
        headers: { 'x-telegram-init-data': initData },
        may: { scopes: BY_ROLE[role], isPerson: true },
      };
    }),
  ];
}

/** Whether a caller with rights has a token. */
const isToken = (may: Exclude<Column['may'], 'nothing'>) => may !== 'all' && !may.isPerson;

/** The first of a route's scopes that a caller lacks. */
function lackedScope(scopes: readonly Scope[], needed: readonly Scope[]): Scope | undefined {
  return scopes.includes('admin') ? undefined : needed.find((scope) => !scopes.includes(scope));
}

/** Whether a caller is authorized, or the error that rejects it. */
function expected(
  { may, managesTokens = false }: Column,
  { scope, further = [], only }: Row,
  enforced: boolean,
): 'in' | 401 | 403 {
  if (may === 'nothing') return 401;
  if (only === 'admin-sessions') return managesTokens ? 'in' : 403;
  if (only === 'tokens' && !isToken(may)) return 403;
  if (may === 'all' || (!enforced && !may.isPerson)) return 'in';
  return lackedScope(may.scopes, [scope, ...further]) === undefined ? 'in' : 403;
}

const homes: string[] = [];
const services = new Map<boolean, OwnService>();
beforeAll(async () => {
  await Promise.all(ENFORCED.map(start));
});

async function start(enforced: boolean): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  homes.push(home);
  await mkdir(join(home, 'secrets'));
  await writeFile(join(home, 'secrets', 'perimeter-tokens'), PERIMETER, { mode: 0o600 });
  await writeFile(join(home, 'secrets', 'telegram-bot-token'), BOT, { mode: 0o600 });
  const env = {
    PROMPTQ_TELEGRAM_USERS: ROLES.map((role, at) => `${at + 1}:${role}`).join(','),
    PROMPTQ_API_SCOPE_ENFORCE: enforced ? '1' : '0',
    PROMPTQ_PUBLIC_ORIGIN: ORIGIN,
  };
  services.set(enforced, await startService({ home, env }));
}

afterAll(async () => {
  await Promise.all([...services.values()].map(async (service) => await service.stop()));
  for (const home of homes) await rm(home, { recursive: true, force: true });
});

describe.each(ENFORCED)('with enforcement of scopes: %s', (enforced) => {
  it('each route answers each principal as its line of the table says', async () => {
    const service = services.get(enforced);
    if (service === undefined) throw new Error('the service did not start');
    const columns = await columnsOf(service);
    const wrong: string[] = [];
    const lineOf = async (row: Row, number: number): Promise<string> => {
      const cells: (number | undefined)[] = [];
      for (const [at, column] of columns.entries()) {
        if (!meets(number, column, at)) {
          cells.push(undefined);
          continue;
        }
        const answer = await service.api(row.method, row.path, undefined, { authorization: '', ...column.headers });
        const wanted = expected(column, row, enforced);
        const isRight = wanted === 'in' ? row.answers.includes(answer.status) : answer.status === wanted;
        const lacksScope =
          row.only === undefined || (row.only === 'tokens' && column.may !== 'nothing' && isToken(column.may));
        const scopes = typeof column.may === 'object' ? column.may.scopes : [];
        const lacked = lackedScope(scopes, [row.scope, ...(row.further ?? [])]) ?? row.scope;
        const required = { required_scope: lacked, ...(!lacksScope && { required_principal: expect.any(String) }) };
        const body = { 401: { error: 'unauthorized' }, 403: { error: 'forbidden', details: required } }[answer.status];
        if (body !== undefined) expect(answer.json).toEqual({ ...body, request_id: expect.any(String) });
        if (!isRight) wrong.push(`${row.name} as ${column.name}: ${answer.status}, expected ${wanted}: ${answer.text}`);
        cells.push(answer.status);
      }
      const admitted = cells.filter((_, at) => expected(columns[at] as Column, row, enforced) === 'in');
      if (new Set(admitted).size > 1 && !CHANGING.has(row.name))
        wrong.push(`${row.name}: answers those let in with ${[...new Set(admitted)]}`);
      return [row.name.padEnd(34), ...cells.map((status) => String(status ?? '').padEnd(12))].join('');
    };
    // All rows at once exceed what a busy machine answers within the time limit of a request.
    const lines: string[] = [];
    const rows = ROWS[enforced ? 'on' : 'off'];
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      lines.push(...(await Promise.all(rows.slice(at, at + ROWS_AT_ONCE).map((row, n) => lineOf(row, at + n)))));
    const head = [''.padEnd(34), ...columns.map(({ name }) => name.padEnd(12))].join('');
    console.log([`enforcement ${enforced ? 'on' : 'off'}`, head, ...lines].join('\n'));
    expect(wrong, service.output().slice(-4_000)).toEqual([]);
  });
});
