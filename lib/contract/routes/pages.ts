import type { Page } from '../route.ts';

export const beginSignIn = {
  id: 'auth.sign-in',
  method: 'GET',
  path: '/auth/sign-in',
  outsideApi: true,
  summary: 'Redirect the browser to the identity provider; `return_to` is the path in the console to return to',
  mode: 'buffered',
  access: {},
} as const satisfies Page;

export const finishSignIn = {
  id: 'auth.callback',
  method: 'GET',
  path: '/auth/callback',
  outsideApi: true,
  summary: 'Handle the redirect from the identity provider and start a session',
  audited: true,
  mode: 'buffered',
  access: { clientSecret: 'read', sessions: ['start', 'end'] },
} as const satisfies Page;

export const signOut = {
  id: 'auth.sign-out',
  method: 'POST',
  path: '/auth/sign-out',
  outsideApi: true,
  summary: "End the browser's session",
  audited: true,
  mode: 'buffered',
  access: { sessions: ['end'] },
} as const satisfies Page;

export const signedOut = {
  id: 'auth.signed-out',
  method: 'GET',
  path: '/auth/signed-out',
  outsideApi: true,
  summary: 'Show that the session has ended, with a link to sign in again',
  mode: 'buffered',
  access: {},
} as const satisfies Page;
