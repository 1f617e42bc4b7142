import * as z from 'zod';
import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Status } from '../../contract/statuses.ts';

/** The members of a job that locate it in a list. */
const listedKeySchema = z.object({ id: z.string().min(1).max(LIMITS.nameLength), created_at: z.iso.datetime() });
export type ListedKey = z.output<typeof listedKeySchema>;

/** Where a list with counted matches continues. */
export const positionSchema = z.strictObject({
  /** The list is read from behind this job; absent: from the beginning of the list, or of `month`. */
  after: listedKeySchema.strict().optional(),
  /** What comes up to this job was on earlier pages, although the list is read from before it; only for a search. */
  shown: listedKeySchema.strict().optional(),
  /** At this month; only for a search. */
  month: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/)
    .optional(),
  /** Matches before the part that is read. */
  counted: z.int().min(0),
  /** Matches before the page. Those that an offset still skips are counted, and no others: the list changes. */
  from: z.int().min(0),
});
export type ListPosition = z.output<typeof positionSchema>;

/** The list with the jobs in a state, or all, in a cursor: by the name of its first partition. */
function nameOf(status: Status | undefined) {
  return status === undefined ? { list_key: 'jobs#0' } : { status_key: `${status}#0` };
}

/** The cursor of a list that continues after a job. @param skip jobs after it that an offset still skips */
export function cursorAfter({ id, created_at }: ListedKey, status: Status | undefined, skip: number): string {
  return writeCursor({ id, created_at, ...nameOf(status), ...(skip > 0 && { skip }) });
}

/** @throws InvalidFieldError if it is not a cursor of this list */
export function readCursorAfter(
  cursor: string,
  status: Status | undefined,
): { readonly after: ListedKey; readonly skip: number } {
  const name = Object.entries(nameOf(status)).map(([key, value]) => [key, z.literal(value)] as const);
  const schema = listedKeySchema.extend({ skip: z.int().min(0).default(0) });
  const { id, created_at, skip } = readCursor(cursor, schema.extend(Object.fromEntries(name)).strict());
  return { after: { id, created_at }, skip };
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
