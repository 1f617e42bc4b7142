import * as z from 'zod';
import { InvalidFieldError } from '../../contract/errors.ts';
import type { Status } from '../../contract/schemas/job.ts';
import { LIST_KEY, statusKey } from '../lifecycle/job.ts';

/** The members of a job that locate it in a list. */
const listedKeySchema = z.object({ id: z.string().min(1), created_at: z.string().min(1) });
export type ListedKey = z.output<typeof listedKeySchema>;

/** Where a list with counted matches continues. */
export const positionSchema = z.strictObject({
  /** After this job; absent: at the beginning. */
  after: listedKeySchema.strict().optional(),
  /** At this month; only for a search. */
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .optional(),
  /** Matches before this position. */
  counted: z.int().min(0),
  /** Matches to skip, from the list's beginning. */
  from: z.int().min(0),
});
export type ListPosition = z.output<typeof positionSchema>;

/** The partition of the list's index with the jobs in a state, or all. */
export function partitionOf(status: Status | undefined): Record<string, string> {
  return status === undefined ? { list_key: LIST_KEY } : { status_key: statusKey(status) };
}

/**
 * The keys of an item and of its index, at which a Query continues. The table would reject those of another list as an
 * internal error.
 */
export function keySchema(status: Status | undefined) {
  const index = status === undefined ? { list_key: z.literal(LIST_KEY) } : { status_key: z.literal(statusKey(status)) };
  return listedKeySchema.extend(index).strict();
}

/** A list position as an opaque cursor. */
export function writeCursor(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws InvalidFieldError if it is not a cursor of this list */
export function readCursor<S extends z.ZodType>(cursor: string, schema: S): z.output<S> {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw foreignCursor(cursor);
  }
}

/** The error for a cursor of another list. */
export function foreignCursor(cursor: string): InvalidFieldError {
  return InvalidFieldError.of(
    'cursor',
    `received ${JSON.stringify(cursor.slice(0, 60))}; give next_cursor of the page before, with the same filters`,
  );
}
