import { expect, it } from 'vitest';
import { killRounds } from './kill-rounds.ts';

/** Kills the worker twice, everything, the worker twice, the service, and the worker. Each start of a service costs seconds. */
const SEED = 20_262_013;

it('seven kills of the worker and of the whole run under load lose no acknowledged job and repeat no success', {
  timeout: 900_000,
}, async () => {
  const { kills, seconds, calls, callsCut, unanswered, attempts, states, ...found } = await killRounds({
    rounds: 7,
    seed: SEED,
  });
  console.log(
    JSON.stringify({ kills, seconds, calls, callsCut, unanswered, attempts, states, jobs: found.acknowledged }),
  );
  expect(found).toEqual({
    seed: SEED,
    acknowledged: expect.any(Number),
    lost: [],
    ranTwice: [],
    ranAfterCancel: [],
    outputNotWhole: [],
    editsLost: [],
    countsWrong: [],
    processesLeft: [],
    faults: [],
  });
  expect(kills.worker).toBeGreaterThan(2);
  expect(kills.service).toBeGreaterThan(0);
  expect(kills.everything).toBeGreaterThan(0);
  expect(found.acknowledged).toBeGreaterThan(10);
});
