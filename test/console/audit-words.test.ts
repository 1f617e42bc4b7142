import { expect, test } from 'vitest';
import { ACTION_WORDS } from '../../console/src/audit/action-words.ts';
import { DELEGATION } from '../../lib/access/audit-children.ts';
import type { Page, Route } from '../../lib/contract/route.ts';
import { pages, routes } from '../../lib/contract/routes/routes.ts';

test('every recorded action has a description, and no other has one', () => {
  const table: readonly (Route | Page)[] = [...routes, ...pages];
  const audited = table.filter((entry) => 'audited' in entry && entry.audited).map(({ id }) => id);
  expect(Object.keys(ACTION_WORDS).toSorted()).toEqual([...audited, DELEGATION].toSorted());
});
