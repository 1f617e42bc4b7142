import * as z from 'zod';
import { defineRoute } from '../route.ts';
import {
  configDocument,
  importQuery,
  importResult,
  LISTS_IN_WORDS,
  profileList,
  ruleList,
  ruleView,
} from '../schemas/config.ts';
import { pageQuery } from '../schemas/fields/page.ts';
import { profileView } from '../schemas/profile.ts';
import { projectList } from '../schemas/project.ts';

const list = {
  method: 'GET',
  auth: { kind: 'principal', scope: 'read' },
  query: pageQuery,
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'read' },
} as const;

export const listProjects = defineRoute({
  ...list,
  id: 'projects.list',
  path: '/projects',
  summary: 'List projects with their job counts',
  description: 'Counts may lag writes by about a second.',
  responses: { 200: { description: 'A page of projects, ordered by id.', schema: projectList } },
});

export const listRules = defineRoute({
  ...list,
  id: 'rules.list',
  path: '/rules',
  summary: 'List rules',
  description: 'Returns the imported rules. Jobs reference them by id in `rule_ids`.',
  responses: { 200: { description: 'A page of rules, ordered by id.', schema: ruleList } },
});

export const listProfiles = defineRoute({
  ...list,
  id: 'profiles.list',
  path: '/profiles',
  summary: 'List profiles',
  description: 'Returns the built-in and the imported profiles. Jobs reference them by name in `profile`.',
  responses: {
    200: {
      description: 'A page of profiles: the built-in ones first, each group ordered by name.',
      schema: profileList,
    },
  },
});

const removal = {
  method: 'DELETE',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  mode: 'buffered',
  access: { registry: 'write' },
} as const;

export const deleteRule = defineRoute({
  ...removal,
  id: 'rules.delete',
  path: '/rules/{id}',
  summary: 'Delete a rule',
  description:
    'Rules are read when a job starts. A job that references the deleted rule and has not started yet fails with `start_failed`. Running jobs are not affected.',
  params: z.object({ id: z.string().min(1).meta({ description: 'The id of the rule.' }) }),
  responses: { 200: { description: 'The deleted rule.', schema: ruleView } },
  errors: ['not_found'],
});

export const deleteProfile = defineRoute({
  ...removal,
  id: 'profiles.delete',
  path: '/profiles/{name}',
  summary: 'Delete an imported profile',
  description:
    "If a built-in profile has the same name, it applies again. Built-in profiles and the default profile can't be deleted. Profiles are read when a job starts: a job that references the deleted profile and has not started yet fails with `start_failed`. Running jobs are not affected.",
  params: z.object({ name: z.string().min(1).meta({ description: 'The name of the profile.' }) }),
  responses: { 200: { description: 'The deleted profile.', schema: profileView } },
  errors: ['not_found', 'invalid_state'],
});

export const importConfig = defineRoute({
  id: 'config.import',
  method: 'POST',
  path: '/config/import',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  summary: `Import ${LISTS_IN_WORDS}`,
  description:
    'The import is atomic: if any entry is invalid, nothing changes and `details.faults` lists every fault. Entries that the document does not contain are kept.',
  query: importQuery,
  body: configDocument,
  responses: { 200: { description: 'What the import changed, or would change with `dry_run`.', schema: importResult } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { registry: 'write' },
});

export const exportConfig = defineRoute({
  id: 'config.export',
  method: 'GET',
  path: '/config/export',
  auth: { kind: 'principal', scope: 'admin' },
  summary: `Export ${LISTS_IN_WORDS}`,
  description: `Returns all imported ${LISTS_IN_WORDS} as a document that can be imported again. It contains the names of secrets, never their values.`,
  responses: { 200: { description: 'The configuration document.', schema: configDocument } },
  errors: [],
  mode: 'stream',
  access: { registry: 'read' },
});
