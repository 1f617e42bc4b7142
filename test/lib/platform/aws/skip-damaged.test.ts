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

it('a service that is away is no fault of the item', async () => {
  const busy = Object.assign(new Error('busy'), { name: 'ThrottlingException' });
  const { lines } = await printedBy(async () => {
    await expect(skipDamaged('job busy', () => Promise.reject(busy))).rejects.toBe(busy);
  });
  expect(lines).toEqual([]);
});
