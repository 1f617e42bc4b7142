import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { caller, sessionList } from '../schemas/session.ts';

export const readSession = defineRoute({
  id: 'session.read',
  method: 'GET',
  path: '/session',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Retrieve the caller',
  description: 'Returns the identity and permissions of the caller, for every kind of credential.',
  responses: { 200: { description: 'The caller.', schema: caller } },
  errors: [],
  mode: 'buffered',
  access: {},
});

export const listSessions = defineRoute({
  id: 'sessions.list',
  method: 'GET',
  path: '/sessions',
  auth: { kind: 'principal', scope: 'admin', only: 'admin-sessions' },
  summary: 'List browser sessions',
  description: 'Returns the active sessions of all users, newest first.',
  responses: { 200: { description: 'The sessions.', schema: sessionList } },
  errors: [],
  mode: 'buffered',
  access: { sessions: ['list'] },
});

export const endSession = defineRoute({
  id: 'sessions.end',
  method: 'DELETE',
  path: '/sessions/{id}',
  auth: { kind: 'principal', scope: 'admin', only: 'admin-sessions' },
  audited: true,
  summary: 'End a browser session',
  description: 'Takes effect at once: the next request of that browser gets 401.',
  params: z.object({ id: z.string().min(1).meta({ description: 'The id of the session.' }) }),
  responses: { 204: { description: 'The session has ended.' } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { sessions: ['end'] },
});
