import { expect, it } from 'vitest';
import { lossesOf } from '../../bench/quick/baseline.ts';

it.each([
  ['the same requests are no loss', { GetItem: 1, Query: 2 }, []],
  ['a request more is a loss', { GetItem: 2, Query: 2 }, ['GET /jobs, GetItem: 2 instead of 1']],
  ['a request less must be stored too', { GetItem: 1 }, ['GET /jobs, Query: 0 instead of 2']],
  ['another command is a loss', { GetItem: 1, Query: 2, Scan: 1 }, ['GET /jobs, Scan: 1 instead of 0']],
])('%s', (_what, commands, losses) => {
  expect(lossesOf('requests', { 'GET /jobs': { GetItem: 1, Query: 2 } }, { 'GET /jobs': commands })).toEqual(losses);
});

it.each([
  ['bytes', 1_250, []],
  ['bytes', 1_251, ['jobs.create: 1251 instead of 1000']],
  ['bytes', 1, []],
] as const)('of %s, %i instead of 1000 is a loss beyond its allowance', (part, now, losses) => {
  expect(lossesOf(part, { 'jobs.create': 1_000 }, { 'jobs.create': now })).toEqual(losses);
});

it('a route or function that the baseline does not have is reported', () => {
  expect(lossesOf('bytes', {}, { 'jobs.create': 1 })).toEqual(['jobs.create: 1 instead of 0']);
});
