import { constants } from 'node:os';
import { expect, it } from 'vitest';
import { EXIT_MEANINGS, EXIT_OF_SIGNAL } from '../../../../lib/cli/base/exit-codes.ts';

it('every exit code is explained', () => {
  expect(EXIT_MEANINGS.map(([code]) => code)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 70, 129, 130, 141, 143]);
});

it("a command that a signal ends exits with 128 plus the signal's number", () => {
  for (const [signal, code] of Object.entries(EXIT_OF_SIGNAL))
    expect(code).toBe(128 + constants.signals[signal as keyof typeof EXIT_OF_SIGNAL]);
});
