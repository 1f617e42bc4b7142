import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenStore } from '../../lib/access/tokens/token-store.ts';
import { SCOPES, type Scope } from '../../lib/contract/scopes.ts';
import { withOperatorRegistry } from '../../lib/local/operator/operator-registry.ts';
import { type Browser, signedInBrowser } from '../local-run/browser.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';
import { amount } from '../vitest/amount.ts';
import { brokenBodies, brokenQueries } from './broken-requests.ts';
import { Conformance, describe as shown } from './conformance.ts';
import { type Operation, operationsOf, type Parameter } from './operations.ts';
import { EVERYWHERE_UNREACHED, prepare } from './preparations.ts';
import { encode, type Received, type Sent, send } from './send.ts';
import { validValues } from './valid-values.ts';

const DOCUMENT = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const OPERATIONS = operationsOf(DOCUMENT);
/** Room for the longest text of a rule, and one character more. */
const BODY_LIMIT = 100_000;
/** Generated requests of an operation: those that its description allows, and any others. */
const RUNS = amount({ allowed: 2, others: 1 }, { allowed: 100, others: 100 });
/** One of so many requests that violate a description is sent, or one at all; the operations begin with different ones. */
const ONE_IN = amount(5, 1);
const SEED = Number(process.env.PROMPTQ_TEST_SEED ?? 20_261_120);

let service: OwnService;
let preparationOf: ReturnType<typeof prepare>;
let admin: Browser;
let tokens: Record<Scope, string>;
const conformance = new Conformance();

beforeAll(async () => {
  service = await startService({
    env: { PROMPTQ_CONCURRENCY: '1', PROMPTQ_API_SCOPE_ENFORCE: '1', PROMPTQ_MAX_BODY_BYTES: String(BODY_LIMIT) },
  });
  admin = await signedInBrowser(service, 'admin');
  preparationOf = prepare(service, admin);
  tokens = await withOperatorRegistry({ stack: undefined, home: service.home }, async (registry) => {
    const store = new TokenStore(registry);
    const created = SCOPES.map(async (scope) => [scope, (await store.create({ name: scope, scopes: [scope] })).token]);
    return Object.fromEntries(await Promise.all(created)) as Record<Scope, string>;
  });
});
afterAll(async () => {
  await service.stop();
});

describe.each(OPERATIONS)('$method $path ($id)', (operation) => {
  it('succeeds with a valid request, and answers as declared', async () => {
    const prepared = preparationOf(operation);
    for (const more of [{}, ...(prepared.also ?? [])]) {
      const { status, ...answer } = await call(operation, await request(operation, more));
      const success = [...operation.answers.keys()].filter((declared) => declared < 300);
      if (success.length > 0) expect({ status: success.includes(status), answer }).toEqual({ status: true, answer });
    }
  });

  it('answers as declared to whatever its description allows', async () => {
    await check(
      RUNS.allowed,
      fc.record({
        body: bodies(operation),
        query: parameters(operation, 'query'),
        headers: parameters(operation, 'header'),
      }),
      async ({ body, query, headers }) => {
        await call(operation, await request(operation, { body, query, headers }));
      },
    );
  });

  it('rejects every request that violates its description with 400', async () => {
    const broken = [...brokenQueries(operation), ...brokenBodies(operation, preparationOf(operation))];
    // A rejected request changes nothing, so that one preparation serves all.
    const valid = await request(operation);
    const begin = OPERATIONS.indexOf(operation);
    const step = Math.min(ONE_IN, broken.length);
    for (const { what, ...difference } of broken.filter((_, at) => (at + begin) % step === 0)) {
      const sent = { ...valid, ...difference };
      const answer = await call(operation, sent);
      expect(answer.status, `${what}\n${shown(sent, answer)}`).toBe(400);
    }
  });

  it('answers as declared to whatever else it is sent', async () => {
    const strings = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', '.', '%2e%2e', 'x'.repeat(3_000)),
    );
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const anything = fc.record({
      path: fc.tuple(...names.map(() => strings.filter((text) => text !== '' && !/^\.{1,2}$/.test(text)))),
      query: fc.array(fc.tuple(fc.oneof(fc.constantFrom('limit', 'full', 'id'), strings), strings), { maxLength: 2 }),
      body: fc.option(fc.oneof(fc.json(), strings), { nil: undefined }),
    });
    const valid = await request(operation);
    await check(RUNS.others, anything, async ({ path, query, body }) => {
      const filled = names.reduce((text, name, n) => text.replace(`{${name}}`, encode(path[n] ?? '')), operation.path);
      const sent = { ...valid, path: filled, query, ...(body !== undefined && { body }) };
      // Another operation may be meant by what has come into the path.
      const meant = names.length === 0 || matches(filled).length === 1 ? operation : undefined;
      const answer = await send(service.baseUrl, sent);
      if (meant !== undefined) conformance.judge(meant, sent, answer);
      else expect(answer.status, shown(sent, answer)).toBeLessThan(500);
    });
  });

  it('rejects unknown ids, missing tokens, missing scopes and bodies above the limit', async () => {
    const valid = await request(operation);
    if (operation.answers.has(404) && operation.path.includes('{')) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'no-such-thing');
      expect((await call(operation, { ...valid, path })).status).toBe(404);
    }
    expect((await call(operation, { ...valid, headers: {} })).status).toBe(401);
    const tooLarge = { ...valid, body: JSON.stringify({ prompt: 'x'.repeat(BODY_LIMIT) }) };
    expect((await call(operation, tooLarge)).status).toBe(413);
    for (const scope of tried(operation.scope)) {
      // Let in, it is refused for its query: nothing is done four times.
      const query = [['no-such-parameter', '']] as const;
      const headers = { ...authorized(), authorization: `Bearer ${tokens[scope]}` };
      const { status, text } = await call(operation, { ...valid, headers, query });
      const isLetIn = !operation.signedIn && (scope === operation.scope || scope === 'admin');
      expect([scope, status === 403]).toEqual([scope, !isLetIn]);
      const missing = operation.signedIn
        ? { required_principal: 'a browser session of an admin', required_scope: operation.scope }
        : { required_scope: operation.scope };
      if (!isLetIn) expect(JSON.parse(text).details).toEqual(missing);
    }
  });

  it('has been seen to answer in every way below 500 that it declares', () => {
    const { unreached = {} } = preparationOf(operation);
    expect(conformance.unseen(operation)).toEqual(Object.keys({ ...unreached, ...EVERYWHERE_UNREACHED }).map(Number));
  });
});

describe.each([...new Set(OPERATIONS.map(({ path }) => path))])('%s', (path) => {
  it('is not there for other methods', async () => {
    const known = OPERATIONS.filter((operation) => operation.path === path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
      if (known.includes(method)) continue;
      const sent = { method, path: path.replaceAll(/\{\w+\}/g, 'no-such-thing'), headers: authorized(), body: '{}' };
      const other = OPERATIONS.find((each) => each.method === method && matcher(each).test(sent.path));
      const answer = await send(service.baseUrl, sent);
      if (other !== undefined) conformance.judge(other, sent, answer);
      else expect([method, path, answer.status]).toEqual([method, path, 404]);
    }
  });
});

/** The scopes whose tokens call an operation: `access-matrix.test.ts` has all callers of all routes. */
function tried(needed: string | undefined): readonly Scope[] {
  const other = needed === 'read' ? 'write' : 'read';
  return amount<readonly Scope[]>(
    SCOPES.filter((scope) => scope === needed || scope === other),
    SCOPES,
  );
}

/** Reports the seed of what failed; `PROMPTQ_TEST_SEED` repeats it. */
async function check<T>(
  numRuns: number,
  values: fc.Arbitrary<T>,
  property: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, property), { numRuns, seed: SEED, endOnFailure: true });
}

async function call(operation: Operation, sent: Sent): Promise<Received> {
  const received = await send(service.baseUrl, sent);
  conformance.judge(operation, sent, received);
  return received;
}

/** A request that succeeds, but for what is given. */
async function request(
  operation: Operation,
  given: { body?: unknown; query?: Record<string, unknown>; headers?: Record<string, unknown> } = {},
): Promise<Sent> {
  const { params, query, body, headers } = preparationOf(operation);
  const present = Object.entries(await params());
  const path = present.reduce((text, [name, value]) => text.replace(`{${name}}`, encode(value)), operation.path);
  const sentBody =
    given.body ??
    body ??
    (operation.body?.required
      ? fc.sample(validValues(operation.body.schema), { numRuns: 1, seed: SEED })[0]
      : undefined);
  return {
    method: operation.method,
    path,
    query: Object.entries({ ...query, ...given.query }).map(([name, value]) => [name, String(value)] as const),
    headers: { ...(operation.signedIn ? signedIn() : authorized()), ...headers, ...texts(given.headers ?? {}) },
    ...(sentBody !== undefined && { body: JSON.stringify(sentBody) }),
  };
}

function authorized(): Record<string, string> {
  return { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
}

/** As a page of the service asks, for an administrator. */
function signedIn(): Record<string, string> {
  const { host, hostname, origin } = new URL(service.consoleUrl);
  const cookies = [...(admin.cookies.get(hostname) ?? [])].map(([name, value]) => `${name}=${value}`);
  return { host, cookie: cookies.join('; '), origin, 'content-type': 'application/json' };
}

function bodies(operation: Operation): fc.Arbitrary<unknown> {
  if (operation.body === undefined) return fc.constant(undefined);
  const { fixed } = preparationOf(operation);
  return validValues(operation.body.schema).map((body) => ({ ...(body as object), ...fixed }));
}

function parameters(operation: Operation, place: Parameter['in']): fc.Arbitrary<Record<string, unknown>> {
  const own = operation.parameters.filter((parameter) => parameter.in === place);
  const values = Object.fromEntries(own.map(({ name, schema }) => [name, validValues(schema)]));
  const required = own.filter((parameter) => parameter.required).map(({ name }) => name);
  return fc.record(values, { requiredKeys: required }) as fc.Arbitrary<Record<string, unknown>>;
}

/** Header values are Latin 1 without control characters. */
function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, String(value).replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?')]),
  );
}

function matches(path: string): Operation[] {
  return OPERATIONS.filter((operation) => matcher(operation).test(path));
}

function matcher({ path }: Operation): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
