import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { account } from '../schemas/account.ts';

const base = { scope: 'admin', mode: 'buffered' } as const;

export const readCodexAccount = defineRoute({
  ...base,
  id: 'codex-account.read',
  method: 'GET',
  path: '/codex-account',
  summary: 'Read whether the vendor account is linked, and where its login stands',
  description:
    'While `state` is `awaiting_user` a person opens `verification_uri` and enters `user_code` there. A deployment that does not list the vendor answers 404.',
  responses: { 200: { description: 'The account; never a credential.', schema: account } },
  errors: ['not_found'],
  access: { registry: 'write', loginCode: 'read' },
});

const action = {
  ...base,
  body: z.strictObject({}),
  bodyOptional: true,
  audited: true,
  access: { registry: 'write' },
} as const;

export const startCodexLogin = defineRoute({
  ...action,
  id: 'codex-account.start',
  method: 'POST',
  path: '/codex-account/start',
  summary: 'Start a device login',
  description: 'A worker runs it. While one is under way the answer is the running one.',
  responses: { 202: { description: 'A login is under way.', schema: account } },
  errors: ['invalid_request', 'not_found'],
  access: { registry: 'write', loginCode: 'read', scaling: 'wake' },
});

export const cancelCodexLogin = defineRoute({
  ...action,
  id: 'codex-account.cancel',
  method: 'POST',
  path: '/codex-account/cancel',
  summary: 'Cancel the login that is under way',
  description: 'The code that was shown counts no more. Only while a login is under way.',
  responses: { 200: { description: 'The account as it now is.', schema: account } },
  errors: ['invalid_request', 'invalid_state', 'not_found'],
});

export const logoutCodexAccount = defineRoute({
  ...action,
  body: undefined,
  id: 'codex-account.logout',
  method: 'DELETE',
  path: '/codex-account',
  summary: 'Unlink the vendor account',
  description:
    'No attempt gets the login from then on; the next worker revokes it at the vendor and removes it. A login that is under way is cancelled.',
  responses: { 200: { description: 'The account as it now is.', schema: account } },
  errors: ['not_found'],
});
