import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { parameterName } from '../schemas/fields/parameter.ts';
import { parameter, parameterList, parameterQuery, parameterWrite } from '../schemas/parameter.ts';

const params = z.object({ name: parameterName });
/** Nothing has another name, which is not found. */
const anyName = z.object({ name: z.string().min(1).meta({ description: 'The name of the parameter.' }) });

export const listParameters = defineRoute({
  id: 'parameters.list',
  method: 'GET',
  path: '/parameters',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List the parameters of a project',
  description: 'Returns the parameters of one project. A project that does not exist has none.',
  query: parameterQuery,
  responses: { 200: { description: 'The parameters, ordered by name.', schema: parameterList } },
  errors: [],
  mode: 'buffered',
  access: { registry: 'read' },
});

export const writeParameter = defineRoute({
  id: 'parameters.write',
  method: 'PUT',
  path: '/parameters/{name}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Set a parameter of a project',
  description:
    'Every attempt of a job of the project that starts later gets the value in the environment variable `PROMPTQ_PARAM_NAME`, with the name in upper case; running jobs are not affected. A parameter is no place for a secret: a name or value that looks like one is refused. The project is created if there is none.',
  params,
  query: parameterQuery,
  body: parameterWrite,
  responses: {
    200: { description: 'The parameter was changed, or had this value.', schema: parameter },
    201: { description: 'The parameter was created.', schema: parameter },
  },
  errors: [],
  mode: 'buffered',
  access: { registry: 'write' },
});

export const deleteParameter = defineRoute({
  id: 'parameters.delete',
  method: 'DELETE',
  path: '/parameters/{name}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Delete a parameter of a project',
  description: 'Attempts that start later do not get it. Running jobs are not affected.',
  params: anyName,
  query: parameterQuery,
  responses: { 200: { description: 'The deleted parameter.', schema: parameter } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { registry: 'write' },
});
