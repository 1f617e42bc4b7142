import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterAll, beforeEach, vi } from 'vitest';
import { generateToken } from '../../../lib/access/tokens/api-tokens.ts';
import { type Core, getCore } from '../../../lib/api/runtime/core.ts';
import type { Scope } from '../../../lib/contract/scopes.ts';
import { ENV } from '../../simulation/model/environment.ts';

/** A token that `served` accepts, and one that it does not know. */
export const [TOKEN, UNKNOWN] = [generateToken(), generateToken()];

/**
 * What every function of the API has, in an environment without services: one token is known, what is logged and audited
 * is listed, and the public origin is what a test sets.
 */
export function served(settings: Readonly<Record<string, string>> = {}) {
  const texts = { ...ENV, PROMPTQ_MAX_BODY_BYTES: '20', AWS_REGION: 'eu-test-1', ...settings };
  for (const [name, value] of Object.entries(texts)) if (typeof value === 'string') vi.stubEnv(name, value);
  const known = { scopes: ['read'] as readonly Scope[], publicOrigin: undefined as string | undefined };
  const logged: object[] = [];
  const audited: object[] = [];
  const core: Core = getCore();
  beforeEach(() => {
    known.scopes = ['read'];
    known.publicOrigin = undefined;
    logged.length = 0;
    audited.length = 0;
    vi.spyOn(core.tokens, 'verify').mockImplementation(async (text) => {
      const token = { id: 'tok_1', name: 'ci', state: 'active', created_at: '2026-11-20T10:00:00.000Z' } as const;
      return text === TOKEN ? { ...token, lineage: 'hash', scopes: [...known.scopes], created_by: 'x' } : undefined;
    });
    vi.spyOn(core.audit, 'record').mockImplementation(async (entry) => void audited.push(entry));
    vi.spyOn(core.serviceEndpoints, 'publicOrigin').mockImplementation(async () => known.publicOrigin);
    for (const level of ['info', 'error'] as const)
      vi.spyOn(core.log, level).mockImplementation((line: unknown, ...facts: unknown[]) => {
        logged.push(Object.assign({ line }, ...facts));
      });
  });
  afterAll(() => vi.unstubAllEnvs());
  return { core, known, logged, audited };
}

/** A request as API Gateway passes it on, in the name of the known token. */
export function anEvent(parts: Partial<APIGatewayProxyEvent> = {}): APIGatewayProxyEvent {
  const requestContext = { requestId: 'request-1', identity: { sourceIp: '192.0.2.7' } };
  const headers = { authorization: `Bearer ${TOKEN}` };
  const sent = { httpMethod: 'GET', path: '/api/v1/health', resource: '/api/v1/health', body: null };
  return { ...sent, headers, pathParameters: null, isBase64Encoded: false, requestContext, ...parts } as never;
}

/** Lambda's own facts about a call; it ends after as many milliseconds. */
export const aContext = (...remaining: readonly number[]): Context => {
  let asked = 0;
  const getRemainingTimeInMillis = () => {
    asked += 1;
    return remaining[Math.min(asked, remaining.length) - 1] ?? 10_000;
  };
  return { awsRequestId: 'aws-1', getRemainingTimeInMillis } as Context;
};
