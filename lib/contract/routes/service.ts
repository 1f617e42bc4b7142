import { defineRoute } from '../route.ts';
import { health, openApiDocument } from '../schemas/service.ts';

export const readHealth = defineRoute({
  id: 'health.read',
  method: 'GET',
  path: '/health',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Check the health of the service',
  description:
    'Answers 200 even if a check fails: `status` is then `degraded`, and the `message` of each failed check explains what to do.',
  responses: {
    200: { description: 'The result of each check, and the number of jobs in each state.', schema: health },
  },
  errors: [],
  mode: 'buffered',
  access: { registry: 'read', output: 'read', dispatchQueues: 'send' },
});

export const readOpenApi = defineRoute({
  id: 'openapi.read',
  method: 'GET',
  path: '/openapi.json',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Retrieve the OpenAPI document',
  description: 'Returns this document, with the `timeout` unit of the deployment in `info.x-timeout-unit`.',
  responses: { 200: { description: 'The OpenAPI 3.0.3 document.', schema: openApiDocument } },
  errors: [],
  mode: 'buffered',
  access: {},
});
