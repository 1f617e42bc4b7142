import * as z from 'zod';
import { InvalidFieldError } from '../../contract/errors.ts';
import type { Status } from '../../contract/schemas/job.ts';
import { LIST_KEY, statusKey } from '../lifecycle/job.ts';

/** What of a job says where a list goes on behind it. */
const listedKeySchema = z.object({ id: z.string().min(1), created_at: z.string().min(1) });
export type ListedKey = z.output<typeof listedKeySchema>;

/** Where a list that is counted through goes on. */
export const placeSchema = z.strictObject({
  /** Behind this job; absent: at the beginning. */
  after: listedKeySchema.strict().optional(),
  /** With this month; only of a search. */
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .optional(),
  /** Matches before that. */
  counted: z.int().min(0),
  /** Matches to leave out, from the list's beginning. */
  from: z.int().min(0),
});
export type ListPlace = z.output<typeof placeSchema>;

/** The partition of the list's index that holds the jobs of a state, or all. */
export function partitionOf(status: Status | undefined): Record<string, string> {
  return status === undefined ? { list_key: LIST_KEY } : { status_key: statusKey(status) };
}

/** The keys of an item and of its index, which say where a Query goes on; those of another list the table would refuse as a fault of ours. */
export function keySchema(status: Status | undefined) {
  const index = status === undefined ? { list_key: z.literal(LIST_KEY) } : { status_key: z.literal(statusKey(status)) };
  return listedKeySchema.extend(index).strict();
}

/** A place in a list as a client gets it. */
export function writeCursor(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @throws ApiError `invalid_request` for what is no place of this list */
export function readCursor<S extends z.ZodType>(cursor: string, schema: S): z.output<S> {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw foreignCursor(cursor);
  }
}

/** The refusal of a cursor that is not of the list that it was sent for. */
export function foreignCursor(cursor: string): InvalidFieldError {
  return InvalidFieldError.of(
    'cursor',
    `received ${JSON.stringify(cursor.slice(0, 60))}; give next_cursor of the page before, with the same filters`,
  );
}
