import { ApiError } from '../../api/api-error.ts';
import type { Schemas } from '../../api/client.ts';
import type { JobSummary } from '../queries/jobs-query.ts';

/** What creates a turn, or a fork, from the newest turn of a thread. */
export type TurnChoice = Pick<Schemas['JobCreation'], 'fresh_folder' | 'profile'> & {
  readonly action: 'continue' | 'fork';
};

/** A refusal that the user can override. */
export interface TurnRefusal {
  readonly reason: string;
  /** Label of the button that creates the turn anyway. */
  readonly label: string;
  /** What creates it. */
  readonly choice: TurnChoice;
}

/** The refusal of a choice; undefined: the error has another cause, and only the request can be changed. */
export function refusalOf(error: Error, choice: TurnChoice, newest: JobSummary): TurnRefusal | undefined {
  const use = error instanceof ApiError ? error.details.use : undefined;
  if (use === 'fresh_folder') {
    const loses =
      newest.agent === 'shell'
        ? 'A new folder is empty.'
        : 'A new folder is empty, and the agent gets the earlier prompts and answers instead of its session.';
    return {
      reason: `${reasonIn(error.message)} ${loses}`,
      label: 'Continue in a new folder',
      choice: { ...choice, fresh_folder: true },
    };
  }
  if (use === 'profile')
    return {
      reason: reasonIn(error.message),
      label: `${choice.action === 'fork' ? 'Fork' : 'Continue'} with the profile as it is now`,
      choice: { ...choice, profile: newest.profile },
    };
  return undefined;
}

/** Turns `continue: the job is old; use "x"` into `The job is old.` */
function reasonIn(message: string): string {
  const reason = /^\w+: (.*); [^;]*$/s.exec(message)?.[1] ?? message;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
