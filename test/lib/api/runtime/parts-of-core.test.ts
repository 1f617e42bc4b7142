import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { originDigest } from '../../../../lib/access/origin-secret.ts';
import { bypassedCloudFront } from '../../../../lib/api/bypassed-cloudfront.ts';
import type { Core } from '../../../../lib/api/runtime/core.ts';
import { createVerifiers } from '../../../../lib/api/runtime/core.ts';

/** What the functions of the API have, as far as a test gives it. */
const core = (parts: object): Core => parts as Core;
const anEvent = (headers: object, more: object = {}) =>
  ({ headers, requestContext: { identity: { sourceIp: '192.0.2.7' } }, ...more }) as unknown as APIGatewayProxyEvent;

it("the deployment's proxy is known by its token, at the address that is trusted", async () => {
  const proxy = 'p'.repeat(32);
  const at = async (behindCloudFront: boolean) => {
    const secrets = { lines: async () => [proxy] };
    const env = { PROMPTQ_PERIMETER_SOURCES: ['203.0.113.0/24'] };
    const headers = { 'x-perimeter-token': proxy, 'x-promptq-viewer': '203.0.113.9' };
    return await createVerifiers(core({ secrets, env, behindCloudFront })).perimeter(proxy, {
      event: anEvent(headers),
      headers,
    });
  };
  expect([await at(true), await at(false)]).toEqual([{ kind: 'perimeter', name: 'perimeter' }, undefined]);
});

it('only where CloudFront is in front, a request without its secret has bypassed it', () => {
  const env = { PROMPTQ_ORIGIN_DIGESTS: [originDigest('secret')] };
  const of = (behindCloudFront: boolean, headers: object) =>
    bypassedCloudFront(anEvent(headers), core({ env, behindCloudFront }));
  const known = { 'X-Promptq-Origin': 'secret' };
  expect([of(true, {}), of(true, known), of(false, {})]).toEqual([true, false, false]);
});
