import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { exportCreation, exportList, exportSummary, exportView } from '../schemas/exports.ts';

const { days, running, kept, rows } = LIMITS.exports;

const params = z.object({ id: z.string().min(1).meta({ description: 'The id of the export.' }) });

export const createExport = defineRoute({
  id: 'exports.create',
  method: 'POST',
  path: '/exports',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  summary: 'Start an export',
  description: `The file is written in the background, with at most ${rows} rows, and kept for ${days} days. At most ${running} exports run at a time, and ${kept} are kept. What only callers with the scope \`logs\` see of jobs is not in it.`,
  body: exportCreation,
  responses: { 202: { description: 'The export was accepted.', schema: exportView } },
  errors: ['invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { exports: ['read', 'start'] },
});

export const listExports = defineRoute({
  id: 'exports.list',
  method: 'GET',
  path: '/exports',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List exports',
  description: `Exports of the last ${days} days, newest first, without links.`,
  responses: { 200: { description: 'The exports.', schema: exportList } },
  errors: [],
  mode: 'buffered',
  access: { exports: ['read'] },
});

export const readExport = defineRoute({
  id: 'exports.read',
  method: 'GET',
  path: '/exports/{id}',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Read an export',
  description: 'Its progress and, once it is done, links to its files. Each call makes new links.',
  params,
  responses: { 200: { description: 'The export.', schema: exportView } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { exports: ['read', 'link'] },
});

export const deleteExport = defineRoute({
  id: 'exports.delete',
  method: 'DELETE',
  path: '/exports/{id}',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  summary: 'Delete an export',
  description: 'Deletes its files, and stops it if it still runs. Links to them no longer work.',
  params,
  responses: { 200: { description: 'The deleted export.', schema: exportSummary } },
  errors: ['not_found'],
  mode: 'buffered',
  access: { exports: ['read', 'delete'] },
});
