import { expect, it } from 'vitest';
import { positionSchema, readCursor, writeCursor } from '../../../../lib/jobs/store/list-position.ts';

const at = (month: string) => writeCursor({ month, counted: 0, from: 0 });

it.each(['2025-13', '2026-00', '2026-1', '2026-011'])('a cursor with the month %s is rejected', (month) => {
  expect(() => readCursor(at(month), positionSchema)).toThrow('give next_cursor of the page before');
});

it.each(['2025-12', '2026-01', '2026-10'])('a cursor with the month %s is read', (month) => {
  expect(readCursor(at(month), positionSchema)).toMatchObject({ month });
});
