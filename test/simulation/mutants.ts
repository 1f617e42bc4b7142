import type { Mutant } from './mutant.ts';
import { ACCOUNT } from './mutants/account.ts';
import { ATTEMPTS } from './mutants/attempts.ts';
import { CREATION } from './mutants/creation.ts';
import { DECISIONS } from './mutants/decisions.ts';
import { FOLDERS } from './mutants/folders.ts';

/** What no rule finds in the source (`found-mutants.ts`): orders, numbers, and what is kept or forgotten. */
export const MUTANTS: readonly Mutant[] = [...CREATION, ...DECISIONS, ...ATTEMPTS, ...FOLDERS, ...ACCOUNT];
