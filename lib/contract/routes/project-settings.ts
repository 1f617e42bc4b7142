import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { composed } from '../schemas/fields/name.ts';
import { switchParameter } from '../schemas/fields/text.ts';
import { projectEdit, projectSettings } from '../schemas/project-settings.ts';

const params = z.object({
  id: z.string().overwrite(composed(LIMITS.keyBytes)).min(1).meta({ description: 'The id or name of the project.' }),
});

export const editProject = defineRoute({
  id: 'projects.edit',
  method: 'PATCH',
  path: '/projects/{id}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Update a project',
  description: 'Fields that are absent or null keep their values. Running jobs are not affected.',
  params,
  query: z.object({ create: switchParameter('Create the project, under this name, if there is none.') }),
  body: projectEdit,
  responses: { 200: { description: 'The updated project.', schema: projectSettings } },
  errors: ['not_found', 'invalid_request'],
  mode: 'buffered',
  access: { registry: 'write' },
});

export const deleteProject = defineRoute({
  id: 'projects.delete',
  method: 'DELETE',
  path: '/projects/{id}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Delete an empty project',
  description:
    'The project must have no jobs, deploy bindings or diagrams. Its parameters are deleted with it. The token usage of its jobs remains in the statistics. A new job with the same project name creates the project again.',
  params,
  responses: { 200: { description: 'The deleted project.', schema: projectSettings } },
  errors: ['not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { registry: 'write' },
});
