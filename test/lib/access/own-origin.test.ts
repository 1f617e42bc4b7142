import { expect, it } from 'vitest';
import { isOwnOrigin, rejectForeignOrigin } from '../../../lib/access/own-origin.ts';
import type { Principal } from '../../../lib/access/principal.ts';
import { ApiError } from '../../../lib/contract/errors.ts';

const OWN = 'https://promptq.example.com';
const SESSION: Principal = { kind: 'session', name: 'user:ada', role: 'admin', sessionId: 's' };
const TOKEN: Principal = { kind: 'token', name: 'token:ci', id: 't', scopes: ['admin'] };

/** Whether a request is rejected, with the details; `reads`: how often the own origin was read. */
async function rejected(
  principal: Principal,
  method: string,
  origin: string | undefined,
  own: string | undefined = OWN,
) {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return own;
  };
  const error = await rejectForeignOrigin(principal, { method, headers: { origin } }, read).catch((thrown) => thrown);
  return { reads, ...(error instanceof ApiError && { code: error.code, details: error.details }) };
}

it('a session changes nothing from a page of another site, and the answer names the allowed one', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect(await rejected(SESSION, method, 'https://evil.example')).toEqual({
      ...{ reads: 1, code: 'forbidden' },
      details: { required_origin: OWN, received_origin: 'https://evil.example' },
    });
  expect(await rejected(SESSION, 'POST', undefined)).toMatchObject({ details: { received_origin: null } });
  expect(await rejected(SESSION, 'POST', OWN)).toEqual({ reads: 1 });
});

it('methods that change nothing, and principals that no other site can speak for, are not asked where they come from', async () => {
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    expect(await rejected(SESSION, method, 'https://evil.example')).toEqual({ reads: 0 });
  expect(await rejected(TOKEN, 'POST', 'https://evil.example')).toEqual({ reads: 0 });
});

it('no page is of this service while its address is not known', () => {
  expect(isOwnOrigin({}, undefined)).toBe(false);
  expect(isOwnOrigin({ origin: OWN }, OWN)).toBe(true);
  expect(isOwnOrigin({ origin: `${OWN}.evil.example` }, OWN)).toBe(false);
});
