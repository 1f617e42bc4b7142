import type { Door } from '../route.ts';

export const beginSignIn = {
  id: 'auth.sign-in',
  method: 'GET',
  path: '/auth/sign-in',
  auth: { kind: 'page' },
  summary: 'Redirect the browser to the identity provider; `return_to` is the path in the console to return to',
  mode: 'buffered',
  access: {},
} as const satisfies Door;

export const finishSignIn = {
  id: 'auth.callback',
  method: 'GET',
  path: '/auth/callback',
  auth: { kind: 'page' },
  summary: 'Handle the redirect from the identity provider and start a session',
  audited: true,
  mode: 'buffered',
  access: { clientSecret: 'read', sessions: ['start', 'end'] },
} as const satisfies Door;

export const signOut = {
  id: 'auth.sign-out',
  method: 'POST',
  path: '/auth/sign-out',
  auth: { kind: 'page' },
  summary: "End the browser's session",
  audited: true,
  mode: 'buffered',
  access: { sessions: ['end'] },
} as const satisfies Door;

export const signedOut = {
  id: 'auth.signed-out',
  method: 'GET',
  path: '/auth/signed-out',
  auth: { kind: 'page' },
  summary: 'Show that the session has ended, with a link to sign in again',
  mode: 'buffered',
  access: {},
} as const satisfies Door;
