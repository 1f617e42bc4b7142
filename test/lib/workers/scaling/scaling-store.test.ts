import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Launch } from '../../../../lib/workers/scaling/launches.ts';
import { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let store: ScalingStore;
beforeEach(async () => {
  deployment = await emulateDeployment();
  store = new ScalingStore(deployment.registry);
});
afterEach(async () => await deployment.stop());

const launch = (n: number): Launch => ({
  token: `token-${n}`,
  provider: 'FARGATE',
  count: 10,
  build: 'worker:1',
  at: new Date(Date.UTC(2026, 10, 20, 10, 0, 0, n)).toISOString(),
});
const launches = (count: number) => Array.from({ length: count }, (_, n) => launch(n));

it('of two changes of the same state one is written, with its launches', async () => {
  const known = await store.read();
  const others = [launch(7), launch(8)];
  const results = await Promise.all([
    store.replace(known, { ...known, launches: launches(2) }),
    new ScalingStore(deployment.registry).replace(known, { ...known, launches: others }),
  ]);
  expect(results.filter((written) => written !== undefined)).toHaveLength(1);
  const stored = (await store.read()).launches;
  expect([launches(2), others]).toContainEqual(stored);
});
