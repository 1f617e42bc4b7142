import * as z from 'zod';
import type { AuditLog } from '../access/audit-log.ts';
import type { ExportKind } from '../contract/export-kinds.ts';
import { withoutOutput } from '../contract/output-fields.ts';
import { auditRow } from '../contract/schemas/audit.ts';
import { jobAttempt, usage } from '../contract/schemas/jobs/job.ts';
import { type JobListQuery, jobSummary } from '../contract/schemas/jobs/job-list.ts';
import { message } from '../contract/schemas/jobs/message.ts';
import { addUsage } from '../contract/usage.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { viewMessage } from '../jobs/messages/view-messages.ts';
import type { OutputStore } from '../jobs/output/output-store.ts';
import type { JobMessageStore } from '../jobs/store/job-messages.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { attemptsOf } from '../jobs/views/attempts.ts';
import { type Annotated, viewSummary } from '../jobs/views/job-view.ts';
import type { Candidate } from '../jobs/views/list-filter.ts';
import { type WalkContext, walkJobs } from '../jobs/views/walk-jobs.ts';
import type { TimeoutUnit } from '../platform/config/core-env.ts';
import type { ExportRecord, Position } from './export-record.ts';

/*
 * The rows of exports, from the oldest on. A row is what a client with the scope `read` gets of the same thing, so that
 * what is marked as output of commands or agents is not in it.
 */

/** Jobs whose further records are read at once. */
const LANES = 16;

export interface RowContext extends WalkContext {
  readonly waiting: { annotate<J extends Candidate['job']>(jobs: readonly J[]): Promise<Annotated<J>[]> };
  readonly timeoutUnit: TimeoutUnit;
  readonly jobs: Pick<JobStore, 'findAll'>;
  readonly messages: Pick<JobMessageStore, 'list'>;
  readonly output: Pick<OutputStore, 'readReceipt'>;
  readonly audit: Pick<AuditLog, 'oldestFirst'>;
}

/** Rows of an export, and the position behind the last thing that was read for them. */
interface RowBatch {
  readonly rows: readonly object[];
  readonly position: Position;
}

const ofJob = { job_id: z.string(), project_id: z.string(), project: z.string(), profile: z.string() };

/** What a row of each kind has. */
export const ROW_SCHEMAS = {
  jobs: jobSummary,
  attempts: z.object({ ...ofJob, ...jobAttempt.shape }),
  usage: z.object({
    ...ofJob,
    ...jobSummary.pick({ agent: true, model: true, model_used: true, created_by: true, status: true }).shape,
    attempts: z.number().int(),
    ...jobSummary.pick({ created_at: true, started_at: true, finished_at: true }).shape,
    ...usage.shape,
    cost_usd: z.number().nullable(),
  }),
  messages: z.object({ ...ofJob, ...message.shape }),
  audit: auditRow,
} as const satisfies Record<ExportKind, z.ZodObject>;

/** The rows of an export behind its position. */
export async function* rowsOf(
  context: RowContext,
  kind: ExportKind,
  { filter, created_at, position }: Pick<ExportRecord, 'filter' | 'created_at' | 'position'>,
): AsyncGenerator<RowBatch> {
  // What is created while it is read would be in it or not by chance.
  const before = [filter.created_before, created_at].filter((time) => time !== undefined).toSorted()[0];
  const schema = ROW_SCHEMAS[kind];
  const shown = (row: object) => withoutOutput(schema, schema.parse(row)) as object;
  if (kind === 'audit') {
    const { actor, action, created_after: since } = filter;
    for await (const rows of context.audit.oldestFirst({ actor, action, since, until: before }, position?.id)) {
      const last = rows.at(-1);
      if (last !== undefined) yield { rows: rows.map(shown), position: { id: last.id, created_at: last.at } };
    }
    return;
  }
  const request = { ...(filter as Partial<JobListQuery>), created_before: before };
  for await (const { jobs, reached } of walkJobs(context, request, position))
    yield { rows: (await ROWS[kind](context, jobs)).map(shown), position: reached };
}

type RowsOfJobs = (context: RowContext, candidates: readonly Candidate[]) => Promise<object[]>;

const ROWS: Readonly<Record<Exclude<ExportKind, 'audit'>, RowsOfJobs>> = {
  jobs: async ({ waiting, timeoutUnit }, candidates) => {
    const annotated = await waiting.annotate(candidates.map(({ job }) => job));
    return annotated.map((job, at) => viewSummary(job, candidates[at]?.labels ?? {}, timeoutUnit));
  },
  attempts: async (context, candidates) =>
    await ofEach(context, candidates, async (job) =>
      job.attempt === 0
        ? []
        : (await attemptsOf(context.output, job)).toReversed().map((attempt) => ({ ...idsOf(job), ...attempt })),
    ),
  usage: async (context, candidates) => await ofEach(context, candidates, async (job) => usageOf(job)),
  messages: async (context, candidates) =>
    await ofEach(context, candidates, async (job) => {
      const rows = job.messages === undefined ? [] : await context.messages.list(job.id);
      return rows.map((row) => ({ ...idsOf(job), ...viewMessage(row) }));
    }),
};

/** The rows of the jobs themselves, in their order. Jobs of a later version have none. */
async function ofEach(
  { jobs }: RowContext,
  candidates: readonly Candidate[],
  rowsOfJob: (job: Job) => Promise<object[]>,
): Promise<object[]> {
  const found = await jobs.findAll(candidates.map(({ job }) => job.id));
  const known = candidates.flatMap(({ job: { id } }) => {
    const job = found.get(id);
    return job === undefined || job === 'newer' ? [] : [job];
  });
  const rows: object[][] = [];
  for (let at = 0; at < known.length; at += LANES)
    rows.push(...(await Promise.all(known.slice(at, at + LANES).map(rowsOfJob))));
  return rows.flat();
}

function idsOf({ id, project_id, project, profile }: Job) {
  return { job_id: id, project_id, project, profile };
}

function usageOf(job: Job): object[] {
  if (job.usage === undefined) return [];
  const { cost_usd = null, ...tokens } = addUsage(job.usage, job.earlier_usage);
  return [
    {
      ...idsOf(job),
      ...{ agent: job.agent ?? null, model: job.model ?? null, model_used: job.model_used ?? null },
      ...{ created_by: job.created_by, status: job.status, attempts: job.attempt, created_at: job.created_at },
      ...{ started_at: job.started_at ?? null, finished_at: job.finished_at ?? null },
      ...tokens,
      cost_usd,
    },
  ];
}
