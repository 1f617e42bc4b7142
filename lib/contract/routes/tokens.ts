import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { createdToken, token, tokenCreation, tokenList } from '../schemas/token.ts';

export const listTokens = defineRoute({
  id: 'tokens.list',
  method: 'GET',
  path: '/tokens',
  scope: 'admin',
  only: 'admin-sessions',
  summary: 'List the API tokens',
  description: 'Newest first; revoked ones too. No answer shows a token itself.',
  responses: { 200: { description: 'The tokens.', schema: tokenList } },
  errors: [],
  mode: 'buffered',
  access: { tokens: 'list' },
});

export const createToken = defineRoute({
  id: 'tokens.create',
  method: 'POST',
  path: '/tokens',
  scope: 'admin',
  only: 'admin-sessions',
  audited: true,
  summary: 'Create an API token',
  description: 'The answer is the only one that shows the token itself.',
  body: tokenCreation,
  responses: { 201: { description: 'The token, shown this once.', schema: createdToken } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { tokens: 'create' },
});

const change = {
  method: 'POST',
  scope: 'admin',
  only: 'admin-sessions',
  audited: true,
  params: z.object({ id: z.string().min(1).meta({ description: 'Id of a token.' }) }),
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'The token as it now is.', schema: token } },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { tokens: 'change' },
} as const;

export const suspendToken = defineRoute({
  ...change,
  id: 'tokens.suspend',
  path: '/tokens/{id}/suspend',
  summary: 'Refuse a token until it is resumed',
  description: 'A suspended token is refused with 401. A revoked one stays revoked.',
});

export const resumeToken = defineRoute({
  ...change,
  id: 'tokens.resume',
  path: '/tokens/{id}/resume',
  summary: 'Accept a suspended token again',
  description: 'The token has the scopes that it had. A revoked one stays revoked.',
});

export const revokeToken = defineRoute({
  ...change,
  id: 'tokens.revoke',
  path: '/tokens/{id}/revoke',
  summary: 'Refuse a token for ever',
  description: 'A revoked token stays in the list, and nothing makes it valid again.',
});
