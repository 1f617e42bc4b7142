import { ACCOUNT } from './by-hand/account.ts';
import { ATTEMPT_ENDS } from './by-hand/attempt-ends.ts';
import { ATTEMPTS } from './by-hand/attempts.ts';
import { CREATION } from './by-hand/creation.ts';
import { DECISIONS } from './by-hand/decisions.ts';
import { DELEGATION } from './by-hand/delegation.ts';
import { DEPLOYMENTS } from './by-hand/deployments.ts';
import { FOLDERS } from './by-hand/folders.ts';
import { FORKS } from './by-hand/forks.ts';
import { MESSAGES } from './by-hand/messages.ts';
import { QUESTIONS } from './by-hand/questions.ts';
import { SESSIONS } from './by-hand/sessions.ts';
import { THREADS } from './by-hand/threads.ts';
import { TOOLS } from './by-hand/tools.ts';
import type { Mutant } from './mutant.ts';

/** What no rule finds in the source (`found-mutants.ts`): orders, numbers, and what is kept or forgotten. */
export const MUTANTS: readonly Mutant[] = [
  ...CREATION,
  ...DECISIONS,
  ...ATTEMPTS,
  ...ATTEMPT_ENDS,
  ...FOLDERS,
  ...ACCOUNT,
  ...SESSIONS,
  ...FORKS,
  ...THREADS,
  ...QUESTIONS,
  ...MESSAGES,
  ...TOOLS,
  ...DELEGATION,
  ...DEPLOYMENTS,
];
