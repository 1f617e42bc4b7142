import { describe, expect, it } from 'vitest';
import { authenticate, type Verifiers } from '../../../lib/access/authenticate.ts';
import type { Principal } from '../../../lib/access/principal.ts';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';

const known: Record<Principal['kind'], Principal> = {
  token: { kind: 'token', name: 'token:x', id: 'tok_1', scopes: ['read'] },
  perimeter: { kind: 'perimeter', name: 'perimeter' },
  telegram: { kind: 'telegram', name: 'telegram:1', role: 'viewer' },
  session: { kind: 'session', name: 'user:a@b.c', role: 'viewer', sessionId: 'ses_1' },
};
const verifier = (kind: Principal['kind']) => async (text: string) => (text === kind ? known[kind] : undefined);
const verifiers: Verifiers = {
  token: verifier('token'),
  perimeter: verifier('perimeter'),
  telegram: verifier('telegram'),
  session: verifier('session'),
};

const HEADERS = {
  token: 'Authorization',
  perimeter: 'X-Perimeter-Token',
  telegram: 'X-Telegram-Init-Data',
  session: 'Cookie',
} as const;
const ORDER = Object.keys(HEADERS) as Principal['kind'][];
const header = (kind: Principal['kind'], text: string) => ({
  [HEADERS[kind]]: kind === 'token' ? `Bearer ${text}` : kind === 'session' ? `other=1; promptq=${text}` : text,
});

async function kindOf(
  headers: Record<string, string | undefined>,
  query: Record<string, string[]> = {},
): Promise<string> {
  const event = { headers, path: '/api/v1/jobs', multiValueQueryStringParameters: query };
  return await authenticate(event as never, { verifiers, sessionCookie: 'promptq' }).then(
    ({ kind }) => kind,
    (error: Error) => error.message,
  );
}

describe('the caller', () => {
  it.each(ORDER)('is identified by a %s alone', async (kind) => {
    expect(await kindOf(header(kind, kind))).toBe(kind);
  });

  it.each(ORDER)('is anonymous if the %s is wrong, even if a valid credential follows', async (kind) => {
    const after = ORDER.slice(ORDER.indexOf(kind) + 1).map((other) => header(other, other));
    expect(await kindOf(Object.assign({}, header(kind, 'wrong'), ...after))).toBe('unauthorized');
  });

  it.each(ORDER)('is identified by the %s, even if a wrong credential follows', async (kind) => {
    const after = ORDER.slice(ORDER.indexOf(kind) + 1).map((other) => header(other, 'wrong'));
    expect(await kindOf(Object.assign({}, header(kind, kind), ...after))).toBe(kind);
  });

  it('is identified by X-API-Token if Authorization is missing, empty or set by a proxy', async () => {
    for (const authorization of [{}, { authorization: '' }, { authorization: 'Basic abc' }]) {
      expect(await kindOf({ ...authorization, 'x-api-token': 'token' })).toBe('token');
    }
    expect(await kindOf({ authorization: 'Bearer wrong', 'x-api-token': 'token' })).toBe('unauthorized');
  });

  it('is anonymous without a credential', async () => {
    for (const headers of [{}, { authorization: '' }, { cookie: 'promptq=' }, { cookie: 'xpromptq=session' }]) {
      expect(await kindOf(headers)).toBe('unauthorized');
    }
  });

  it('is anonymous if the token is in the URL', async () => {
    const token = generateToken();
    const ofPath = (path: string, query?: object | null) =>
      authenticate({ headers: header('token', 'token'), path, multiValueQueryStringParameters: query } as never, {
        ...{ verifiers, sessionCookie: 'promptq' },
      }).then(
        ({ kind }) => kind,
        (error: Error) => error.message,
      );
    for (const query of [{ token: [token] }, { x: ['1', `a${token}b`] }, { [token]: [''] }])
      expect(await ofPath('/api/v1/jobs', query)).toBe('unauthorized');
    expect(await ofPath(`/api/v1/jobs/${token}`)).toBe('unauthorized');
    for (const query of [null, { x: null }, { x: [token.slice(1)] }])
      expect(await ofPath('/api/v1/jobs', query)).toBe('token');
  });

  it('is identified by the same token in both headers, and anonymous with two', async () => {
    expect(await kindOf({ authorization: 'bearer  token ', 'x-api-token': ' token ' })).toBe('token');
    expect(await kindOf({ authorization: 'Bearer token', 'x-api-token': 'other' })).toBe('unauthorized');
    expect(await kindOf({ authorization: 'Bearer token', 'x-api-token': '' })).toBe('token');
    expect(await kindOf({ authorization: 'xBearer token' })).toBe('unauthorized');
    expect(await kindOf({ 'x-perimeter-token': ' perimeter ' })).toBe('perimeter');
  });
});
