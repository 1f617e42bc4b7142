import type { Harmless } from './harmless.ts';

/** Mutants of the attempts of a worker that change nothing of importance. */
export const ATTEMPTS: readonly Harmless[] = [];
