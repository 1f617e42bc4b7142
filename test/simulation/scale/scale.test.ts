import { expect, it } from 'vitest';
import { measureScale } from './measure-scale.ts';
import { Partitions } from './partitions.ts';

const FULL = { slots: 10_000, workers: 1_250, hasBacklog: true };

const steadily = (rate: number, seconds: number) => Array.from({ length: seconds }, () => rate);

it('1,000 jobs a second of many projects in 10,000 slots are taken while a million wait, and counted within 5 s', async () => {
  const { refused, first, lag } = await measureScale({ rates: steadily(1_000, 30), projects: 100, fleet: FULL });
  expect({ refused, first }).toEqual({ refused: { writes: 0, reads: 0 }, first: undefined });
  expect(lag).toBeLessThan(5);
});

it('one project takes 500 jobs a second: more of them wait', async () => {
  const { first, wait } = await measureScale({ rates: steadily(500, 60), projects: 1, fleet: FULL });
  expect({ first, wait }).toEqual({ first: undefined, wait: 0 });
  const more = await measureScale({ rates: steadily(600, 60), projects: 1, fleet: FULL });
  expect(more.first).toMatch(/^ready normal#p0 /);
  expect(more.last).toEqual(['ready']);
  expect(more.wait).toBeGreaterThan(1);
});

it('a split helps keys that are not ordered by time, and no others', () => {
  const partitions = new Partitions();
  let refusing: string[] = [];
  for (let second = 0; second < 300; second += 1) {
    partitions.take('ordered by time', 1_500);
    partitions.take('by id', 1_500, { spread: 1 });
    refusing = partitions.tick();
    if (second === 10) expect(refusing).toEqual(['ordered by time writes', 'by id writes']);
  }
  expect(refusing).toEqual(['ordered by time writes']);
  expect(partitions.partitionsOf('by id')).toBe(2);
  expect(partitions.wait).toBe(150);
});

it('a partition takes 3,000 read units a second, and a burst what it has saved in five minutes', () => {
  const refusedOf = (bursts: boolean, seconds: number) => {
    const partitions = new Partitions({ bursts });
    for (let second = 0; second < seconds; second += 1) {
      partitions.take('an item', 4_000, { kind: 'reads' });
      partitions.tick();
    }
    return partitions.refused.reads;
  };
  expect(refusedOf(false, 1)).toBe(1_000);
  expect(refusedOf(true, 900)).toBe(0);
  expect(refusedOf(true, 901)).toBe(1_000);
});
