import { defineRoute } from '../route.ts';
import { environment } from '../schemas/environment.ts';
import { stats } from '../schemas/stats.ts';

const overview = {
  method: 'GET',
  auth: { kind: 'principal', scope: 'read' },
  errors: [],
  mode: 'buffered',
  access: { registry: 'read' },
} as const;

export const readEnvironment = defineRoute({
  ...overview,
  id: 'environment.read',
  path: '/environment',
  summary: 'Retrieve the environment',
  description:
    'Returns the workers, the configuration of the service, and counts. The data comes from the last reports of the workers and from counters, so its cost does not depend on the number of jobs.',
  responses: { 200: { description: 'The environment.', schema: environment } },
});

export const readStats = defineRoute({
  ...overview,
  id: 'stats.read',
  path: '/stats',
  summary: 'Retrieve statistics of jobs, projects and tokens',
  description:
    'Statistics come from counters, which may lag writes by about a second. A job counts once, with its latest end: while it is retried, it does not count as ended.',
  responses: { 200: { description: 'The statistics.', schema: stats } },
});
