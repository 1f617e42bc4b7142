import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OwnService, startService } from '../local-run/local-service.ts';
import { amount } from '../vitest/amount.ts';
import { walkApi } from './walk-api.ts';

const RUNS = amount(8, 30);

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '4' } });
});
afterAll(async () => {
  await service.stop();
});

it('random walks over the API get only responses that the lifecycle permits, and leave correct counts', async () => {
  const { walks, steps, jobs, counts } = await walkApi(service, { runs: RUNS, seed: 20_261_120 });
  console.log(JSON.stringify({ walks, steps, jobs, counts }));
  expect(walks).toBe(RUNS);
  // A walk that met only some of the states would say little.
  expect(Object.entries({ ...counts, QUEUED: 1, RUNNING: 1 }).filter(([, count]) => count === 0)).toEqual([]);
});
