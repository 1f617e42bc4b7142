import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { projectEdit, projectSettings } from '../schemas/project-settings.ts';

const params = z.object({ id: z.string().normalize('NFC').min(1).meta({ description: 'Id or name of a project.' }) });

export const editProject = defineRoute({
  id: 'projects.edit',
  method: 'PATCH',
  path: '/projects/{id}',
  scope: 'write',
  audited: true,
  summary: 'Set how the jobs of a project work',
  description: 'What is absent or null stays as it is. Jobs that run already are not touched.',
  params,
  body: projectEdit,
  responses: { 200: { description: 'The project as it now is.', schema: projectSettings } },
  errors: ['not_found', 'invalid_request'],
  mode: 'buffered',
  access: { registry: 'write' },
});

export const deleteProject = defineRoute({
  id: 'projects.delete',
  method: 'DELETE',
  path: '/projects/{id}',
  scope: 'write',
  audited: true,
  summary: 'Delete an empty project',
  description:
    'Only while it has no jobs and no deploy bindings. Statistics keep what its jobs used. A job that names the project creates it again.',
  params,
  responses: { 200: { description: 'The project as it was.', schema: projectSettings } },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { registry: 'write' },
});
