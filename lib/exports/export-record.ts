import * as z from 'zod';
import { EXPORT_FORMATS, EXPORT_KINDS, EXPORT_STATES, type ExportKind } from '../contract/export-kinds.ts';
import { isKnown, knownOrLater } from '../contract/later-code.ts';
import { LIMITS } from '../contract/limits.ts';
import type { ExportCreation, exportSummary } from '../contract/schemas/exports.ts';
import { timestamp } from '../platform/aws/table-clock.ts';

/** A part of an export that is stored: its number, and the bytes of each of its files. */
const partSchema = z.object({ number: z.number(), jsonl: z.number(), csv: z.number() });

/** Where an export continues: behind this row. */
const positionSchema = z.object({ id: z.string(), created_at: z.string() });
export type Position = z.output<typeof positionSchema>;

export const exportRecordSchema = z.object({
  id: z.string(),
  /** What is exported. */
  what: knownOrLater(EXPORT_KINDS),
  format: knownOrLater(EXPORT_FORMATS),
  filter: z.record(z.string(), z.string()),
  status: knownOrLater(EXPORT_STATES),
  /** RFC 3339 with milliseconds, as all times. */
  created_at: z.string(),
  created_by: z.string(),
  expires_at: z.string(),
  expires_at_epoch: z.number(),
  finished_at: z.string().optional(),
  error: z.string().optional(),
  /** Changes with each write, which is conditional on it. */
  change: z.string(),
  /** How often it was begun or continued. */
  attempt: z.number(),
  /** The attempts since it last got further. */
  fruitless: z.number(),
  /** Until then it belongs to its newest attempt. */
  lease_until: z.string().optional(),
  /** Absent: nothing has been read. */
  position: positionSchema.optional(),
  /** All rows are read; the parts are to be joined. */
  is_read: z.boolean(),
  rows: z.number(),
  bytes: z.number(),
  /** In order. Empty once they are joined. */
  parts: z.array(partSchema),
  /** The number of the next part. A part that was stored in vain keeps its number. */
  next_part: z.number(),
});
export type ExportRecord = z.output<typeof exportRecordSchema>;

const DAY_MS = 86_400_000;

/** A new export. @param now milliseconds */
export function newRecord(
  { kind, format, filter = {} }: ExportCreation,
  { id, createdBy, now, change }: { id: string; createdBy: string; now: number; change: string },
): ExportRecord {
  const end = now + LIMITS.exports.days * DAY_MS;
  const conditions = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return {
    ...{ id, what: kind, format, filter: Object.fromEntries(conditions) as Record<string, string> },
    ...{ status: 'queued', created_at: timestamp(now), created_by: createdBy },
    ...{ expires_at: timestamp(end), expires_at_epoch: Math.floor(end / 1000) },
    ...{ change, attempt: 0, fruitless: 0, is_read: false, rows: 0, bytes: 0, parts: [], next_part: 1 },
  };
}

/** Whether it still is to be made. */
export function isOpen({ status }: Pick<ExportRecord, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Whether it is open, and no attempt holds it. @param now RFC 3339 */
export function isFree(record: Pick<ExportRecord, 'status' | 'lease_until'>, now: string): boolean {
  return isOpen(record) && (record.lease_until ?? '') < now;
}

/** An export as clients read it in a list. */
export function viewExport(record: ExportRecord): z.input<typeof exportSummary> {
  const { id, what, format, filter, status, created_at, created_by, finished_at, expires_at, error } = record;
  return {
    ...{ id, kind: what, format, filter, status, created_at, created_by },
    finished_at: finished_at ?? null,
    expires_at,
    progress: { rows: record.rows, bytes: record.bytes, reached: record.position?.created_at ?? null },
    error: error ?? null,
  };
}

/** The scope that shows what an export of a kind contains, besides `read`. What is unknown needs it too. */
export function needsLogs({ what }: Pick<ExportRecord, 'what'>): boolean {
  return what === 'audit' || !isKnown<ExportKind>(EXPORT_KINDS, what);
}
