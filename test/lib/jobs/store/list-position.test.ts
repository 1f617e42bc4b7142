import { expect, it } from 'vitest';
import {
  cursorAfter,
  positionSchema,
  readCursor,
  readCursorAfter,
  writeCursor,
} from '../../../../lib/jobs/store/list-position.ts';

const at = (month: string) => writeCursor({ month, counted: 0, from: 0 });

it.each(['2025-13', '2026-00', '2026-1', '2026-011'])('a cursor with the month %s is rejected', (month) => {
  expect(() => readCursor(at(month), positionSchema)).toThrow('give next_cursor of the page before');
});

it.each(['2025-12', '2026-01', '2026-10'])('a cursor with the month %s is read', (month) => {
  expect(readCursor(at(month), positionSchema)).toMatchObject({ month });
});

it.each([undefined, 'FAILED'] as const)('a cursor continues the list that it is of, and no other: %s', (status) => {
  const key = { id: 'job_1', created_at: '2026-11-20T10:00:00.000Z' };
  const cursor = cursorAfter(key, status, 0);
  expect(readCursorAfter(cursor, status)).toEqual({ after: key, skip: 0 });
  expect(readCursorAfter(cursorAfter(key, status, 3), status)).toEqual({ after: key, skip: 3 });
  for (const other of ['QUEUED', status === undefined ? 'FAILED' : undefined] as const)
    expect(() => readCursorAfter(cursor, other)).toThrow('give next_cursor of the page before');
  const named = status === undefined ? { list_key: 'jobs#0' } : { status_key: 'FAILED#0' };
  expect(JSON.parse(Buffer.from(cursor, 'base64url').toString())).toEqual({ ...key, ...named });
  // Older ones have no member for what is not skipped.
  expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('skip');
});
