import * as z from 'zod';
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_STATES, type ExportKind } from '../export-kinds.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { auditQuery } from './audit.ts';
import { unknownMember } from './fields/entry.ts';
import { timestamp } from './fields/text.ts';
import { jobListQuery } from './jobs/job-list.ts';

const { created_after, created_before } = jobListQuery.shape;
/** The filters of the list of jobs. */
const jobFilters = jobListQuery.omit({ limit: true, offset: true, order: true, cursor: true }).shape;
/** The filters of the audit log, whose times have the names of the other kinds. */
const auditFilters = { actor: auditQuery.shape.actor, action: auditQuery.shape.action, created_after, created_before };

const filterShape = { ...jobFilters, ...auditFilters };

const exportFilter = z.strictObject(filterShape, { error: unknownMember(filterShape) }).meta({
  description:
    'As in the list of jobs, or, for `audit`, `actor`, `action`, `created_after` and `created_before`. All conditions apply.',
});
export type ExportFilter = z.output<typeof exportFilter>;

/** The filters that a kind has. */
export function filtersOf(kind: ExportKind): readonly string[] {
  return Object.keys(kind === 'audit' ? auditFilters : jobFilters);
}

const kind = z.enum(EXPORT_KINDS).meta({
  description:
    '`jobs`: the entries of the list of jobs. `attempts`: the newest attempts of these jobs. `usage`: tokens and cost of each job that reported any. `messages`: the messages to these jobs. `audit`: entries of the audit log.',
});
const format = z.enum(EXPORT_FORMATS).meta({
  description:
    '`jsonl`: a JSON object a line. `csv`: for spreadsheets, with a file in `jsonl` beside it, which programs should read.',
});

const creationShape = { kind, format, filter: exportFilter.optional() };

/** Body of `POST /exports`. */
export const exportCreation = z
  .strictObject(creationShape, { error: unknownMember(creationShape) })
  .superRefine(({ kind: wanted, filter = {} }, context) => {
    const allowed = filtersOf(wanted);
    for (const [name, input] of Object.entries(filter)) {
      if (input === undefined || allowed.includes(name)) continue;
      const message = `is no filter of ${wanted}; allowed: ${allowed.join(', ')}`;
      context.addIssue({ code: 'custom', path: ['filter', name], message, input });
    }
    const { thread, tree, search } = filter;
    const named = Object.entries({ thread, tree, search }).filter(([, value]) => value !== undefined && value !== '');
    const [, second] = named;
    if (second !== undefined && wanted !== 'audit') {
      const message = `can't be combined with ${named[0]?.[0]}`;
      context.addIssue({ code: 'custom', path: ['filter', second[0]], message, input: second[1] });
    }
  })
  .meta({ id: 'ExportCreation', example: { kind: 'jobs', format: 'csv', filter: { project: 'web' } } });
export type ExportCreation = z.output<typeof exportCreation>;

const summaryShape = {
  id: z.string(),
  kind: knownOrLater(EXPORT_KINDS),
  format: knownOrLater(EXPORT_FORMATS),
  filter: z.record(z.string(), z.string()).meta({ description: 'The conditions of the request.' }),
  status: knownOrLater(EXPORT_STATES).meta({
    description:
      '`queued`: not begun. `running`: it is being written. `done`: whole. `failed`: given up; `error` says why.',
  }),
  created_at: timestamp.meta({ description: 'Only what was created before this time is in it.' }),
  created_by: z.string(),
  finished_at: timestamp.nullable(),
  expires_at: timestamp.meta({ description: 'When it is deleted.' }),
  progress: z
    .object({
      rows: z.number().int().meta({ description: 'Rows that are written, besides the header.' }),
      bytes: z.number().int().meta({ description: 'Bytes that are written, of both files together.' }),
      reached: timestamp.nullable().meta({
        description: 'Rows are written from the oldest on: how far it has read. Null: not begun.',
      }),
    })
    .meta({ id: 'ExportProgress' }),
  error: z.string().nullable().meta({ description: 'Why it has failed.' }),
};

/** An export in a list. */
export const exportSummary = z.object(summaryShape).meta({ id: 'ExportSummary' });

/** `GET /exports`. */
export const exportList = z
  .object({ items: z.array(exportSummary).meta({ description: 'Newest first.' }) })
  .meta({ id: 'ExportList' });

const LINK = `It works for ${LIMITS.exports.linkSeconds / 60} minutes without credentials. Null until the export is done, and for callers whose scopes don't include what it contains: \`audit\` needs \`logs\`.`;

/** `GET /exports/{id}`. */
export const exportView = z
  .object({
    ...summaryShape,
    url: z
      .string()
      .nullable()
      .meta({ description: `Link to the file. ${LINK}` }),
    raw_url: z.string().nullable().meta({ description: 'Link to the same rows in `jsonl`; only for `csv`.' }),
    url_expires_at: timestamp.nullable(),
  })
  .meta({ id: 'Export' });
