import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { createdToken, token, tokenCreation, tokenList } from '../schemas/token.ts';

export const listTokens = defineRoute({
  id: 'tokens.list',
  method: 'GET',
  path: '/tokens',
  auth: { kind: 'principal', scope: 'admin', only: 'admin-sessions' },
  summary: 'List API tokens',
  description: 'Returns all tokens, including revoked ones, newest first. The token value is never returned.',
  responses: { 200: { description: 'The tokens.', schema: tokenList } },
  errors: [],
  mode: 'buffered',
  access: { tokens: 'list' },
});

export const createToken = defineRoute({
  id: 'tokens.create',
  method: 'POST',
  path: '/tokens',
  auth: { kind: 'principal', scope: 'admin', only: 'admin-sessions' },
  audited: true,
  summary: 'Create an API token',
  description: 'The token value is returned only once, in this response.',
  body: tokenCreation,
  responses: { 201: { description: 'The new token.', schema: createdToken } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { tokens: 'create' },
});

const change = {
  method: 'POST',
  auth: { kind: 'principal', scope: 'admin', only: 'admin-sessions' },
  audited: true,
  params: z.object({ id: z.string().min(1).meta({ description: 'The id of the token.' }) }),
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'The updated token.', schema: token } },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { tokens: 'change' },
} as const;

export const suspendToken = defineRoute({
  ...change,
  id: 'tokens.suspend',
  path: '/tokens/{id}/suspend',
  summary: 'Suspend a token',
  description: 'Requests with a suspended token get 401 until the token is resumed. A revoked token stays revoked.',
});

export const resumeToken = defineRoute({
  ...change,
  id: 'tokens.resume',
  path: '/tokens/{id}/resume',
  summary: 'Resume a suspended token',
  description: 'The token keeps its scopes. A revoked token stays revoked.',
});

export const revokeToken = defineRoute({
  ...change,
  id: 'tokens.revoke',
  path: '/tokens/{id}/revoke',
  summary: 'Revoke a token',
  description: 'Revocation is permanent. The token stays in the list.',
});
