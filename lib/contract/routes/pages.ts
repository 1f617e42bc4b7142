import type { Page } from '../route.ts';

export const beginSignIn = {
  id: 'auth.sign-in',
  method: 'GET',
  path: '/auth/sign-in',
  outsideApi: true,
  summary: 'Send the browser to the identity provider; `return_to` is the path of ours to come back to',
  mode: 'buffered',
  access: {},
} as const satisfies Page;

export const finishSignIn = {
  id: 'auth.callback',
  method: 'GET',
  path: '/auth/callback',
  outsideApi: true,
  summary: 'Take the browser back from the identity provider and begin its session',
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
  summary: 'Tell that the session is over, and lead to another sign-in',
  mode: 'buffered',
  access: {},
} as const satisfies Page;
