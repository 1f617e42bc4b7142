import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { caller, sessionList } from '../schemas/session.ts';

export const readSession = defineRoute({
  id: 'session.read',
  method: 'GET',
  path: '/session',
  scope: 'read',
  summary: 'Find out who calls',
  description: 'For every kind of caller: who the service takes it for and what it may do.',
  responses: { 200: { description: 'Who calls.', schema: caller } },
  errors: [],
  mode: 'buffered',
  access: {},
});

export const listSessions = defineRoute({
  id: 'sessions.list',
  method: 'GET',
  path: '/sessions',
  scope: 'admin',
  only: 'admin-sessions',
  summary: 'List the browser sessions of everybody',
  description: 'Newest first; those that are over are not shown.',
  responses: { 200: { description: 'The sessions.', schema: sessionList } },
  errors: [],
  mode: 'buffered',
  access: { sessions: ['list'] },
});

export const endSession = defineRoute({
  id: 'sessions.end',
  method: 'DELETE',
  path: '/sessions/{id}',
  scope: 'admin',
  only: 'admin-sessions',
  audited: true,
  summary: 'End a browser session at once',
  description: 'The next request of that browser is refused with 401.',
  params: z.object({ id: z.string().min(1).meta({ description: 'Id of a session.' }) }),
  responses: { 204: { description: 'The session is over.' } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { sessions: ['end'] },
});
