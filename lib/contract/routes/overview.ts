import { defineRoute } from '../route.ts';
import { environment } from '../schemas/environment.ts';
import { platform } from '../schemas/platform.ts';
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

export const readPlatform = defineRoute({
  ...overview,
  id: 'platform.read',
  path: '/platform',
  summary: 'Retrieve what the service can do',
  description:
    'Returns the version, the agents with their versions and abilities, the models, the limits, the features that are on, where data is stored, and what this version does not have. It changes only with the deployment, its profiles and its workers.',
  responses: { 200: { description: 'The platform.', schema: platform } },
  // Whether people can sign in is in the same parameter.
  access: { ...overview.access, publicOrigin: 'read' },
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
