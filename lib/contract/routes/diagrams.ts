import { defineRoute } from '../route.ts';
import { diagram, diagramList, diagramParams, diagramQuery, diagramWrite } from '../schemas/diagram.ts';

export const listDiagrams = defineRoute({
  id: 'diagrams.list',
  method: 'GET',
  path: '/diagrams',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List the diagrams of a project',
  description: 'Returns them without their texts.',
  query: diagramQuery,
  responses: { 200: { description: 'The diagrams, ordered by name.', schema: diagramList } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
});

export const readDiagram = defineRoute({
  id: 'diagrams.read',
  method: 'GET',
  path: '/diagrams/{name}',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Read a diagram',
  description: 'Returns a diagram with its text.',
  params: diagramParams,
  query: diagramQuery,
  responses: { 200: { description: 'The diagram.', schema: diagram } },
  errors: ['not_found', 'invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
});

export const writeDiagram = defineRoute({
  id: 'diagrams.write',
  method: 'PUT',
  path: '/diagrams/{name}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Create or replace a diagram',
  description:
    'Stores a diagram of a project, which is created if it does not exist. Each job of the project that starts afterwards finds the text in the file `$PROMPTQ_CONTEXT/diagrams/NAME.mmd`.',
  params: diagramParams,
  query: diagramQuery,
  body: diagramWrite,
  responses: {
    201: { description: 'The diagram was created.', schema: diagram },
    200: { description: 'The diagram was replaced.', schema: diagram },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'write', jobs: 'read' },
});

export const deleteDiagram = defineRoute({
  id: 'diagrams.delete',
  method: 'DELETE',
  path: '/diagrams/{name}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  summary: 'Delete a diagram',
  description: 'Running jobs keep their file.',
  params: diagramParams,
  query: diagramQuery,
  responses: { 200: { description: 'The deleted diagram.', schema: diagram } },
  errors: ['not_found', 'invalid_request'],
  mode: 'buffered',
  access: { registry: 'write' },
});
