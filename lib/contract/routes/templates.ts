import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { pageQuery } from '../schemas/fields/page.ts';
import { catalogName } from '../schemas/profile.ts';
import {
  renderedTemplate,
  renderRequest,
  templateList,
  templateVersions,
  templateView,
  templateWrite,
  versionQuery,
} from '../schemas/template.ts';

const params = z.object({ name: z.string().min(1).meta({ description: 'The name of the template.' }) });

const reading = {
  method: 'GET',
  auth: { kind: 'principal', scope: 'read' },
  mode: 'buffered',
  access: { registry: 'read' },
} as const;

const change = {
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  mode: 'buffered',
  access: { registry: 'write' },
} as const;

export const listTemplates = defineRoute({
  ...reading,
  id: 'templates.list',
  path: '/templates',
  summary: 'List templates',
  description: 'Returns the newest version of each template. Jobs are created from one by its name in `template`.',
  query: pageQuery,
  responses: { 200: { description: 'A page of templates, ordered by name.', schema: templateList } },
  errors: ['invalid_request'],
});

export const readTemplate = defineRoute({
  ...reading,
  id: 'templates.read',
  path: '/templates/{name}',
  summary: 'Retrieve a template',
  description: 'Returns the newest version of the template, or the one that `version` names.',
  params,
  query: versionQuery,
  responses: { 200: { description: 'The version of the template.', schema: templateView } },
  errors: ['not_found', 'invalid_request'],
});

export const listTemplateVersions = defineRoute({
  ...reading,
  id: 'templates.versions',
  path: '/templates/{name}/versions',
  summary: 'List the versions of a template',
  description: 'Versions are kept permanently, also those of a deleted template.',
  params,
  query: pageQuery,
  responses: { 200: { description: 'A page of versions, newest first.', schema: templateVersions } },
  errors: ['not_found', 'invalid_request'],
});

export const writeTemplate = defineRoute({
  ...change,
  id: 'templates.write',
  method: 'PUT',
  path: '/templates/{name}',
  summary: 'Create or replace a template',
  description:
    'Writes a new version. If nothing changes, no version is written. Members that are absent or null are not set. After a deletion, the numbers of versions continue.',
  params: z.object({ name: catalogName.meta({ description: 'The name of the template.' }) }),
  body: templateWrite,
  responses: {
    200: { description: 'The template, which existed before.', schema: templateView },
    201: { description: 'The template, which was created.', schema: templateView },
  },
  errors: ['invalid_request'],
});

export const deleteTemplate = defineRoute({
  ...change,
  id: 'templates.delete',
  method: 'DELETE',
  path: '/templates/{name}',
  summary: 'Delete a template',
  description:
    'No more jobs can be created from it. Jobs that were created from it keep their prompts, and its versions can still be read.',
  params,
  responses: { 200: { description: 'The newest version of the deleted template.', schema: templateView } },
  errors: ['not_found'],
});

export const renderTemplate = defineRoute({
  id: 'templates.render',
  method: 'POST',
  path: '/templates/{name}/render',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Preview a job of a template',
  description: 'Returns the prompts and settings that a job with these parameters would have, without creating it.',
  params,
  body: renderRequest,
  bodyOptional: true,
  responses: { 200: { description: 'The prompts and settings.', schema: renderedTemplate } },
  errors: ['not_found', 'invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
});
