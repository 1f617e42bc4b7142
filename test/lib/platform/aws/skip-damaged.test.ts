import { afterEach, expect, it, vi } from 'vitest';
import { skipDamaged } from '../../../../lib/platform/aws/skip-damaged.ts';
import { metricsIn, printedBy } from '../../../local-run/captured-lines.ts';

afterEach(() => void vi.restoreAllMocks());

const damaged = async (item: string) => await skipDamaged(item, () => Promise.reject(new Error('unreadable')));

it('the work on an item that is at fault is reported, and no other', async () => {
  const { lines, result } = await printedBy(async () => [
    await skipDamaged('job fine', () => 'done'),
    await damaged('job broken'),
  ]);
  expect(result).toEqual(['done', undefined]);
  expect(lines).toContainEqual(
    expect.objectContaining({ level: 'ERROR', message: 'skipped a damaged item', item: 'job broken' }),
  );
  expect(metricsIn(lines)).toEqual({ DamagedItems: [1] });
});

it('an item is reported once in a while, however often it is met', async () => {
  const { lines } = await printedBy(async () => {
    for (const item of ['job one', 'job one', 'job two', 'job one']) await damaged(item);
  });
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual(['job one', 'job two']);
});

it('a service that is away is no fault of the item', async () => {
  const busy = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
  const { lines } = await printedBy(async () => {
    await expect(skipDamaged('job busy', () => Promise.reject(busy))).rejects.toBe(busy);
  });
  expect(lines).toEqual([]);
});

it('an item is reported again after half a minute, or once a thousand others were', async () => {
  // With none of the items of other tests.
  vi.resetModules();
  const { reportDamaged } = await import('../../../../lib/platform/aws/skip-damaged.ts');
  let now = 10_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const reported = async (...items: string[]) => {
    const { lines } = await printedBy(async () => {
      for (const item of items) reportDamaged(item, new Error('unreadable'));
    });
    return lines.flatMap(({ item }) => item ?? []).length;
  };
  expect(await reported('first')).toBe(1);
  now += 29_999;
  expect(await reported('first')).toBe(0);
  now += 1;
  expect(await reported('first')).toBe(1);
  const others = Array.from({ length: 999 }, (_, at) => `item ${at}`);
  expect(await reported(...others, 'first')).toBe(999);
  expect(await reported('one more', 'first', 'one more')).toBe(2);
});
