import { defineRoute } from '../route.ts';
import { health, openApiDocument } from '../schemas/service.ts';

export const readHealth = defineRoute({
  id: 'health.read',
  method: 'GET',
  path: '/health',
  scope: 'read',
  summary: 'Check that the service works',
  description: 'Answers 200 also where a check has failed: `status` says so, and each check says what to do.',
  responses: {
    200: { description: 'What works, what does not, and how many jobs are in each state.', schema: health },
  },
  errors: [],
  mode: 'buffered',
  access: { jobs: 'read', registry: 'read', output: 'read', permits: 'send' },
});

export const readOpenApi = defineRoute({
  id: 'openapi.read',
  method: 'GET',
  path: '/openapi.json',
  scope: 'read',
  summary: 'Read this document',
  description: 'With the unit of `timeout` that this deployment has.',
  responses: { 200: { description: 'OpenAPI 3.0.3.', schema: openApiDocument } },
  errors: [],
  mode: 'buffered',
  access: {},
});
