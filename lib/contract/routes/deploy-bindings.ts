import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { bindingList, bindingListQuery, bindingWrite, deployBinding } from '../schemas/deploy-binding.ts';
import { jobDeployment } from '../schemas/job-deployment.ts';
import { jobParams } from './jobs.ts';

export const writeBinding = defineRoute({
  id: 'deploy-bindings.write',
  method: 'POST',
  path: '/deploy-bindings',
  scope: 'write',
  audited: true,
  summary: 'Create or update a deploy binding',
  description:
    'What is done when a job of the project succeeds. A binding is known by project and name; of one that is there, what is absent or null stays as it is. One without all that its mode needs is kept and does nothing.',
  body: bindingWrite,
  responses: {
    201: { description: 'The binding was created.', schema: deployBinding },
    200: { description: 'The binding was updated.', schema: deployBinding },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const listBindings = defineRoute({
  id: 'deploy-bindings.list',
  method: 'GET',
  path: '/deploy-bindings',
  scope: 'read',
  summary: 'List deploy bindings',
  description: 'All of them, or those of one project. No answer shows the secret of a binding.',
  query: bindingListQuery,
  responses: { 200: { description: 'The bindings, by project and name.', schema: bindingList } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
});

export const deleteBinding = defineRoute({
  id: 'deploy-bindings.delete',
  method: 'DELETE',
  path: '/deploy-bindings/{id}',
  scope: 'write',
  audited: true,
  summary: 'Delete a deploy binding',
  description: 'What it still had to do is skipped; what it did stays with the jobs.',
  params: z.object({ id: z.string().min(1).meta({ description: 'Id of a deploy binding.' }) }),
  responses: { 200: { description: 'The binding as it was.', schema: deployBinding } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const retryDeployment = defineRoute({
  id: 'deployments.retry',
  method: 'POST',
  path: '/jobs/{id}/deployments/{binding}/retry',
  scope: 'write',
  audited: true,
  summary: 'Retry a deployment',
  description: 'Also the first time, for a binding that was created after the job ended.',
  params: jobParams.extend({ binding: z.string().min(1).meta({ description: 'Id of a deploy binding.' }) }),
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'What now is to be done.', schema: jobDeployment } },
  errors: ['job_not_found', 'not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'read', permits: 'send', deliveries: 'send' },
});
