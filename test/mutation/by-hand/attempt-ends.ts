import type { Mutant } from '../mutant.ts';

/** What an attempt keeps, and says it kept, when its machine fails. */
export const ATTEMPT_ENDS: readonly Mutant[] = [
  {
    name: 'a log of a setup command that fails ends the worker',
    file: 'worker-container/repository/setup-command.ts',
    find: "log.on('error',",
    replace: "log.on('drain' as 'error',",
    test: 'test/worker-container/repository/setup-command.test.ts',
  },
];
