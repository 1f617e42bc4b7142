import type { Mutant } from './mutant.ts';

/** Mutants that change nothing that counts, each with the reason. */
export const HARMLESS: readonly (Pick<Mutant, 'file' | 'find' | 'replace'> & { readonly reason: string })[] = [
  {
    file: 'lib/jobs/claim.ts',
    find: 'held.receives === 1',
    replace: 'true',
    reason: 'a permit that came back looks again too, which costs a few reads and nothing else',
  },
];
