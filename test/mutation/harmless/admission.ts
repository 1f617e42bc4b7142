import type { Harmless } from './harmless.ts';

/** Mutants of claims, the lifecycle, dispatch and receipts of jobs that change nothing of importance. */
export const ADMISSION: readonly Harmless[] = [
  {
    file: 'lib/jobs/admission/claim.ts',
    find: 'received.receives === 1',
    replace: 'true',
    reason: 'a redelivered message also checks again, which costs only a few reads',
  },
];
