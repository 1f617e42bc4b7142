import { expect, it } from 'vitest';
import { STEPS, writesOfLife } from './job-writes.ts';
import { measureScale } from './measure-scale.ts';
import { Partitions } from './partitions.ts';

it('a short shell job writes 11 units', () => {
  const life = writesOfLife('a job', 'a project');
  const units = STEPS.map((step) => life[step].reduce((sum, touch) => sum + touch.units, 0));
  expect(units).toEqual([5, 4, 2]);
});

it('1,000 jobs a second of many projects are taken, and counted within 5 seconds', () => {
  const { refused, first, lag } = measureScale({ rate: 1_000, projects: 100, seconds: 30 });
  expect({ refused, first }).toEqual({ refused: 0, first: undefined });
  expect(lag).toBeLessThan(5);
});

it('of one project alone the index of ready jobs refuses first', () => {
  expect(measureScale({ rate: 450, projects: 1, seconds: 30 }).refused).toBe(0);
  expect(measureScale({ rate: 600, projects: 1, seconds: 30 })).toMatchObject({
    first: expect.stringMatching(/^ready /),
    last: ['ready'],
  });
});

it('a split helps keys that are not ordered by time, and no others', () => {
  const partitions = new Partitions();
  let refusing: string[] = [];
  for (let second = 0; second < 300; second += 1) {
    partitions.write('ordered by time', 1_500, {});
    partitions.write('by id', 1_500, { spread: 1 });
    refusing = partitions.tick();
    if (second === 10) expect(refusing).toEqual(['ordered by time', 'by id']);
  }
  expect(refusing).toEqual(['ordered by time']);
  expect(partitions.partitionsOf('by id')).toBe(2);
  expect(partitions.wait).toBe(150);
});
