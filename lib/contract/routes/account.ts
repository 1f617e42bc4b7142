import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { account } from '../schemas/account.ts';

const base = { auth: { kind: 'principal', scope: 'admin' }, mode: 'buffered' } as const;

export const readCodexAccount = defineRoute({
  ...base,
  id: 'codex-account.read',
  method: 'GET',
  path: '/codex-account',
  summary: 'Retrieve the vendor account',
  description:
    'Returns the state of the account and of its latest login. While `state` is `awaiting_user`, open `verification_uri` and enter `user_code`. A deployment that does not list the vendor answers 404.',
  responses: { 200: { description: 'The account, without any credential.', schema: account } },
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
  description: 'A worker runs the login. If a login is already in progress, it is returned.',
  responses: { 202: { description: 'The login is in progress.', schema: account } },
  errors: ['invalid_request', 'not_found'],
  access: { registry: 'write', loginCode: 'read', scaling: 'wake' },
});

export const cancelCodexLogin = defineRoute({
  ...action,
  id: 'codex-account.cancel',
  method: 'POST',
  path: '/codex-account/cancel',
  summary: 'Cancel the login in progress',
  description: 'Invalidates the code that was shown. Answers 400 if no login is in progress.',
  responses: { 200: { description: 'The updated account.', schema: account } },
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
    'New attempts no longer get the login. The next worker revokes it with the vendor and deletes it. A login in progress is cancelled.',
  responses: { 200: { description: 'The updated account.', schema: account } },
  errors: ['not_found'],
});
