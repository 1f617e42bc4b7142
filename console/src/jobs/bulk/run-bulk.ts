import { mayHaveTakenEffect } from '../../api/may-have-taken-effect.ts';
import { actOn } from '../actions/use-job-action.ts';
import type { BulkAction } from './bulk-effect.ts';
import { eachConcurrently } from './each-concurrently.ts';

/** What is known of a requested action. `unknown`: its response was lost, or the service failed. */
export interface Outcome {
  readonly type: 'accepted' | 'rejected' | 'unknown';
  /** Undefined if the action was accepted. */
  readonly why?: string;
}

/** Requests an action on each job. */
export async function runBulk(
  action: BulkAction,
  ids: readonly string[],
  onOutcome: (id: string, outcome: Outcome) => void,
): Promise<void> {
  await eachConcurrently(ids, async (id) => onOutcome(id, await outcomeOf(action, id)));
}

async function outcomeOf(action: BulkAction, id: string): Promise<Outcome> {
  try {
    await actOn(action, id);
    return { type: 'accepted' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!mayHaveTakenEffect(error)) return { type: 'rejected', why: error.message };
    return { type: 'unknown', why: `${error.message} The request may have taken effect.` };
  }
}
