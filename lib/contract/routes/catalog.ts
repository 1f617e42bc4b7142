import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { configDocument, importQuery, importResult, profileList, ruleList, ruleView } from '../schemas/config.ts';
import { pageQuery } from '../schemas/fields/page.ts';
import { profileView } from '../schemas/profile.ts';
import { projectList } from '../schemas/project.ts';

const list = {
  method: 'GET',
  scope: 'read',
  query: pageQuery,
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
} as const;

export const listProjects = defineRoute({
  ...list,
  id: 'projects.list',
  path: '/projects',
  summary: 'List projects with the counts of their jobs',
  description: 'Counts may lag writes by a second; they never drift.',
  responses: { 200: { description: 'A page of projects, in the order of their ids.', schema: projectList } },
});

export const listRules = defineRoute({
  ...list,
  id: 'rules.list',
  path: '/rules',
  summary: 'List rules',
  description: 'Rules that were imported; jobs ask for them by id.',
  responses: { 200: { description: 'A page of rules, in the order of their ids.', schema: ruleList } },
});

export const listProfiles = defineRoute({
  ...list,
  id: 'profiles.list',
  path: '/profiles',
  summary: 'List profiles',
  description: 'Profiles that are built in and those that were imported; jobs ask for them by name.',
  responses: {
    200: {
      description: 'A page of profiles, in the order of their names; what is built in comes first.',
      schema: profileList,
    },
  },
});

const removal = {
  method: 'DELETE',
  scope: 'admin',
  audited: true,
  mode: 'buffered',
  access: { registry: 'write' },
} as const;

export const deleteRule = defineRoute({
  ...removal,
  id: 'rules.delete',
  path: '/rules/{id}',
  summary: 'Remove a rule',
  description:
    'Rules are read when a job starts: one that asks for it and has not started by then fails with `start_failed`. What runs already is not touched.',
  params: z.object({ id: z.string().min(1).meta({ description: 'Id of a rule.' }) }),
  responses: { 200: { description: 'The rule as it was.', schema: ruleView } },
  errors: ['not_found'],
});

export const deleteProfile = defineRoute({
  ...removal,
  id: 'profiles.delete',
  path: '/profiles/{name}',
  summary: 'Remove an imported profile',
  description:
    'What is built in under its name holds again; what is built in itself, and the default profile, can not be removed. A profile is read when a job starts: one that names it and has not started by then fails with `start_failed`. What runs already is not touched.',
  params: z.object({ name: z.string().min(1).meta({ description: 'Name of a profile.' }) }),
  responses: { 200: { description: 'The profile as it was.', schema: profileView } },
  errors: ['not_found', 'invalid_state'],
});

export const importConfig = defineRoute({
  id: 'config.import',
  method: 'POST',
  path: '/config/import',
  scope: 'admin',
  audited: true,
  summary: 'Import rules and profiles',
  description:
    'The document is taken as a whole or changes nothing: then `details.faults` names all its faults. What it does not name stays.',
  query: importQuery,
  body: configDocument,
  responses: { 200: { description: 'What was changed, or would be.', schema: importResult } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'write' },
});

export const exportConfig = defineRoute({
  id: 'config.export',
  method: 'GET',
  path: '/config/export',
  scope: 'admin',
  summary: 'Export what was imported',
  description:
    'All imported rules and profiles, as a document that imports as unchanged. Secrets are in it by name only.',
  responses: { 200: { description: 'The document.', schema: configDocument } },
  errors: [],
  mode: 'stream',
  access: { registry: 'read' },
});
