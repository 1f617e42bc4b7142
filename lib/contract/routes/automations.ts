import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import {
  automation,
  automationCreation,
  automationEdit,
  automationList,
  automationPage,
  automationsQuery,
  dryRunQuery,
  runList,
} from '../schemas/automation.ts';
import { composed } from '../schemas/fields/name.ts';

const params = z.object({
  id: z.string().overwrite(composed(LIMITS.keyBytes)).min(1).meta({ description: 'The id or name of the automation.' }),
});

const reading = {
  method: 'GET',
  auth: { kind: 'principal', scope: 'read' },
  mode: 'stream',
  access: { registry: 'read', jobs: 'read' },
} as const;

export const listAutomations = defineRoute({
  ...reading,
  id: 'automations.list',
  path: '/automations',
  summary: 'List automations',
  description: 'Returns automations with their next instants, their last run and their failures.',
  query: automationsQuery,
  responses: { 200: { description: 'A page of automations, ordered by id.', schema: automationList } },
  errors: ['invalid_request'],
});

export const readAutomation = defineRoute({
  ...reading,
  id: 'automations.read',
  path: '/automations/{id}',
  summary: 'Retrieve an automation',
  description: 'Returns the automation with its next instants.',
  params,
  responses: { 200: { description: 'The automation.', schema: automation } },
  errors: ['not_found'],
});

export const listRuns = defineRoute({
  ...reading,
  id: 'automations.runs',
  path: '/automations/{id}/runs',
  summary: 'List the runs of an automation',
  description: `Returns what became of each due instant, the newest first: the job that it created, or why it created none. Kept for ${LIMITS.automations.runsDays} days.`,
  params,
  query: automationPage,
  responses: { 200: { description: 'A page of runs.', schema: runList } },
  errors: ['not_found', 'invalid_request'],
});

const change = { auth: { kind: 'principal', scope: 'write' }, audited: true, mode: 'stream' } as const;

export const createAutomation = defineRoute({
  ...change,
  id: 'automations.create',
  method: 'POST',
  path: '/automations',
  summary: 'Create an automation',
  description: 'The caller becomes its owner: its jobs have the name and rights of the caller.',
  query: dryRunQuery,
  body: automationCreation,
  responses: {
    201: {
      description: 'The automation was created.',
      schema: automation,
      headers: { Location: 'The path of the automation: `/api/v1/automations/{id}`.' },
    },
    200: { description: 'With `dry_run`: what would be created.', schema: automation },
  },
  errors: ['invalid_request'],
  access: { registry: 'write', hookSecrets: 'write' },
});

export const editAutomation = defineRoute({
  ...change,
  id: 'automations.edit',
  method: 'PATCH',
  path: '/automations/{id}',
  summary: 'Update an automation',
  description:
    'Fields that are absent or null keep their values; `trigger` and `job` are replaced as a whole. The caller becomes the owner. `enabled: true` also continues a paused automation. Jobs that it has created are not affected.',
  params,
  query: dryRunQuery,
  body: automationEdit,
  responses: { 200: { description: 'The updated automation.', schema: automation } },
  errors: ['not_found', 'invalid_request'],
  access: { registry: 'write', jobs: 'read', hookSecrets: 'write' },
});

export const deleteAutomation = defineRoute({
  ...change,
  id: 'automations.delete',
  method: 'DELETE',
  path: '/automations/{id}',
  summary: 'Delete an automation',
  description: 'Its jobs are kept. Those that run or wait are not affected.',
  params,
  responses: { 200: { description: 'The deleted automation.', schema: automation } },
  errors: ['not_found'],
  access: { registry: 'write', jobs: 'read', hookSecrets: 'write' },
});

export const runAutomation = defineRoute({
  ...change,
  id: 'automations.run',
  method: 'POST',
  path: '/automations/{id}/run',
  summary: 'Run an automation now',
  description:
    'Creates its job at once, also while it is disabled or paused. Its schedule is not affected. `overlap` applies: with `skip`, the request is rejected while its last job has not ended.',
  params,
  responses: {
    201: {
      description: 'The job was created.',
      schema: z
        .object({ id: z.string().meta({ description: 'The id of the job.' }) })
        .meta({ id: 'AutomationStarted' }),
      headers: { Location: 'The path of the job: `/api/v1/jobs/{id}`.' },
    },
  },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
  access: { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send' },
});
