import { expect, it } from 'vitest';
import { amount } from '../vitest/amount.ts';
import { killRounds } from './kill-rounds.ts';

/** Kills the worker twice, everything, and the service; in a long run also the worker twice and everything. */
const SEED = 20_262_016;
/** Each start of a service costs seconds. */
const ROUNDS = amount(4, 7);

it(`${ROUNDS} kills of the worker and of the whole run under load lose no acknowledged job and repeat no success`, {
  timeout: 900_000,
}, async () => {
  const { kills, seconds, calls, callsCut, unanswered, attempts, states, ...found } = await killRounds({
    rounds: ROUNDS,
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
  expect(kills.worker).toBeGreaterThan(1);
  expect(kills.service).toBeGreaterThan(0);
  expect(kills.everything).toBeGreaterThan(0);
  expect(found.acknowledged).toBeGreaterThan(amount(4, 10));
});
