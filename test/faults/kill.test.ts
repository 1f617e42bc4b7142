import { expect, it } from 'vitest';
import { killRounds } from './kill-rounds.ts';

it('fifteen kills of the worker and of the whole run under load lose no acknowledged job and repeat no success', {
  timeout: 900_000,
}, async () => {
  const { kills, seconds, calls, callsCut, unanswered, attempts, states, ...found } = await killRounds({
    rounds: 15,
    seed: 20_261_120,
  });
  console.log(
    JSON.stringify({ kills, seconds, calls, callsCut, unanswered, attempts, states, jobs: found.acknowledged }),
  );
  expect(found).toEqual({
    seed: 20_261_120,
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
  expect(found.acknowledged).toBeGreaterThan(20);
});
