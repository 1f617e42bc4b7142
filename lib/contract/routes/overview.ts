import { defineRoute } from '../route.ts';
import { environment } from '../schemas/environment.ts';
import { stats } from '../schemas/stats.ts';

const overview = {
  method: 'GET',
  scope: 'read',
  errors: [],
  mode: 'buffered',
  access: { registry: 'read' },
} as const;

export const readEnvironment = defineRoute({
  ...overview,
  id: 'environment.read',
  path: '/environment',
  summary: 'Read what the service runs on and with',
  description: 'As cheap with a million jobs as with none: from what workers told last, and from counters.',
  responses: { 200: { description: 'Hosts, service, profiles, models, projects, jobs, tokens.', schema: environment } },
});

export const readStats = defineRoute({
  ...overview,
  id: 'stats.read',
  path: '/stats',
  summary: 'Read figures of jobs, projects and tokens',
  description:
    'From counters, which may lag writes by a second and never drift. A job counts with its last end: one that is retried is not ended any more.',
  responses: { 200: { description: 'The figures.', schema: stats } },
});
