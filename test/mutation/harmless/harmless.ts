import type { Mutant } from '../mutant.ts';

/** A mutant that changes nothing of importance. */
export interface Harmless extends Pick<Mutant, 'file' | 'find' | 'replace'> {
  /** The function, if the reason does not hold in the others of the file. */
  readonly in?: string;
  readonly reason: string;
}
