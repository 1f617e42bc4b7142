import type { Harmless } from './harmless.ts';

const FURTHER_BACK =
  'from further back, every continuation byte that belongs to no character is a unit, so the same position is found';

/** Mutants of the creation, storage, threads and output of jobs that change nothing of importance. */
export const JOBS: readonly Harmless[] = [
  { file: 'lib/jobs/output/utf8-units.ts', find: '>', replace: '>=', reason: FURTHER_BACK },
  { file: 'lib/jobs/output/utf8-units.ts', find: '3', replace: '30', reason: FURTHER_BACK },
  {
    file: 'lib/jobs/output/utf8-units.ts',
    find: 'start > Math.max(0, at - 3)',
    replace: 'true',
    reason: FURTHER_BACK,
  },
];
