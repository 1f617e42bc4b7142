import { expect, test } from 'vitest';
import { ACTION_WORDS } from '../../console/src/audit/action-words.ts';
import { DELEGATION } from '../../lib/access/audit-log.ts';
import { doors } from '../../lib/contract/routes/routes.ts';

test('descriptions exist for exactly the recorded actions', () => {
  const audited = doors.filter(({ audited }) => audited).map(({ id }) => id);
  expect(Object.keys(ACTION_WORDS).toSorted()).toEqual([...audited, DELEGATION].toSorted());
});
