import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmulatedDeployment, emulateDeployment } from '../emulated-deployment.ts';
import { raceForClaims } from './claim-race.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('sixteen claimers claim each of 100 jobs exactly once, with every message delivered three times', async () => {
  const { claims, deliveries, wrong } = await raceForClaims(deployment, {
    jobs: 100,
    claimers: 16,
    seed: 20_261_120,
  });
  expect({ claims, deliveries, wrong }).toEqual({ claims: 100, deliveries: 300, wrong: [] });
});
