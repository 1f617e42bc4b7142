import type { Mutant } from './mutant.ts';

const OF_A_LATER_SCHEMA =
  'what is of a later schema has no status and no lease to go by, so nothing is done to it; only the compiler asks';

/** Mutants that change nothing that counts, each with the reason. */
export const HARMLESS: readonly (Pick<Mutant, 'file' | 'find' | 'replace'> & { readonly reason: string })[] = [
  {
    file: 'lib/jobs/admission/claim.ts',
    find: 'received.receives === 1',
    replace: 'true',
    reason: 'a message that is delivered again looks again too, which costs a few reads and nothing else',
  },
  { file: 'lib/reconciler/reconcile-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  { file: 'lib/reconciler/remove-jobs.ts', find: "job === 'newer'", replace: 'false', reason: OF_A_LATER_SCHEMA },
  {
    file: 'lib/reconciler/remove-jobs.ts',
    find: "job === undefined || job === 'newer'",
    replace: 'false',
    reason: 'a transition refuses for a job that is gone as it does for one of a later schema; only the compiler asks',
  },
];
