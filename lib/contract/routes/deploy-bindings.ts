import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { bindingList, bindingListQuery, bindingWrite, deployBinding } from '../schemas/deploy-binding.ts';
import { jobDeployment } from '../schemas/jobs/job-deployment.ts';
import { jobParams } from './jobs.ts';

export const writeBinding = defineRoute({
  id: 'deploy-bindings.write',
  method: 'POST',
  path: '/deploy-bindings',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Create or update a deploy binding',
  description:
    'A deploy binding defines what happens when a job of its project succeeds. It is identified by project and name: if that binding exists, it is updated, and fields that are absent or null keep their values. An incomplete binding is stored but inactive.',
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
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List deploy bindings',
  description: 'Returns all bindings, or those of one project. Secrets are never returned.',
  query: bindingListQuery,
  responses: { 200: { description: 'The bindings, ordered by project and name.', schema: bindingList } },
  errors: ['invalid_request'],
  // All bindings of a deployment, of up to 50 kB each in a buffered response, may exceed the 6 MB of one.
  mode: 'stream',
  access: { registry: 'read' },
});

export const deleteBinding = defineRoute({
  id: 'deploy-bindings.delete',
  method: 'DELETE',
  path: '/deploy-bindings/{id}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Delete a deploy binding',
  description: 'Its pending deployments are skipped. Jobs keep the record of its earlier deployments.',
  params: z.object({ id: z.string().min(1).meta({ description: 'The id of the deploy binding.' }) }),
  responses: { 200: { description: 'The deleted binding.', schema: deployBinding } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { registry: 'write', bindingSecrets: 'write' },
});

export const retryDeployment = defineRoute({
  id: 'deployments.retry',
  method: 'POST',
  path: '/jobs/{id}/deployments/{binding}/retry',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Retry a deployment',
  description:
    'Runs the deploy binding for a job that has succeeded, also if the binding was created after the job ended. Commands wait until the thread of the job is idle; they are not retried once a later turn has begun.',
  params: jobParams.extend({ binding: z.string().min(1).meta({ description: 'The id of the deploy binding.' }) }),
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'The deployment, pending again.', schema: jobDeployment } },
  errors: ['job_not_found', 'not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'read', dispatchQueues: 'send', deliveries: 'send' },
});
