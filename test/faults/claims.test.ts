import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmulatedDeployment, emulateDeployment } from '../stand-ins/emulated-deployment.ts';
import { amount } from '../vitest/amount.ts';
import { raceForClaims } from './claim-race.ts';

const JOBS = amount(50, 100);

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it(`sixteen claimers claim each of ${JOBS} jobs exactly once, with every message delivered three times`, async () => {
  const { claims, deliveries, wrong } = await raceForClaims(deployment, {
    jobs: JOBS,
    claimers: 16,
    seed: 20_261_120,
  });
  expect({ claims, deliveries, wrong }).toEqual({ claims: JOBS, deliveries: 3 * JOBS, wrong: [] });
});
