import { expect, test } from 'vitest';
import { TableWrites } from '../../../../../lib/local/emulators/dynamodb/table-writes.ts';

const running = () => new AbortController().signal;

test('writes are counted for each table, and those to any table for all', () => {
  const writes = new TableWrites();
  writes.note(['Jobs', 'Registry']);
  writes.note(['Jobs']);
  expect([writes.count('Jobs'), writes.count('Registry'), writes.count('Other')]).toEqual([2, 1, 0]);
  writes.note([]);
  expect([writes.count('Jobs'), writes.count('Registry'), writes.count('Other')]).toEqual([3, 2, 1]);
});

test('a reader waits for a write to its table, for a time, or until it is stopped', async () => {
  const writes = new TableWrites();
  writes.note(['Jobs']);
  await writes.moreThan(0, 'Jobs', 60_000, running());
  const order: string[] = [];
  const waiting = writes.moreThan(1, 'Jobs', 60_000, running()).then(() => order.push('over'));
  for (const tables of [['Registry'], ['Jobs']]) {
    writes.note(tables);
    await new Promise(setImmediate);
    order.push(tables.join());
  }
  await waiting;
  expect(order).toEqual(['Registry', 'over', 'Jobs']);
  await writes.moreThan(9, 'Jobs', 1, running());
  const stopped = new AbortController();
  const other = writes.moreThan(9, 'Jobs', 60_000, stopped.signal);
  stopped.abort();
  await other;
});
