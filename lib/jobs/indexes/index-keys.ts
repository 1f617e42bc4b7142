import { isKnown } from '../../contract/later-code.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { nextCheck } from '../lifecycle/effects.ts';
import { bandOf, type Job } from '../lifecycle/job.ts';
import { PARKINGS } from '../lifecycle/parking.ts';
import { indexedState, suffixOf } from './list-keys.ts';
import {
  EFFECTS_KEY,
  folderKey,
  parkedKey,
  profileKey,
  QUESTION_KEY,
  readyKey,
  readyOrder,
  threadKey,
  turnOrder,
} from './ready-keys.ts';

/** The index keys of a job, all derived from its state. */
export function indexKeys(job: Job): {
  list_key: string;
  status_key?: string;
  ready_key?: string;
  ready_order?: string;
} {
  const suffix = suffixOf(job);
  const keys = {
    list_key: `jobs#${suffix}`,
    ...(job.status !== 'SUCCEEDED' && { status_key: `${indexedState(job)}#${suffix}` }),
  };
  const due = isTerminal(job.status) ? nextCheck(job) : undefined;
  if (due !== undefined) return { ...keys, ready_key: EFFECTS_KEY, ready_order: due };
  if (job.status !== 'QUEUED') return keys;
  return { ...keys, ...(job.parked === undefined ? readyPlace(job) : parkedPlace(job, job.parked)) };
}

interface ReadyPlace {
  readonly ready_key: string;
  readonly ready_order: string;
}

function readyPlace(job: Job): ReadyPlace {
  return { ready_key: readyKey(bandOf(job), job.project_id), ready_order: readyOrder(job) };
}

/** Each reason has a case, so that a new one can't get into the partition of another. */
function parkedPlace(job: Job, parked: NonNullable<Job['parked']>): ReadyPlace {
  const since = job.due_at ?? job.updated_at;
  if (!isKnown(PARKINGS, parked)) return { ready_key: parkedKey(parked), ready_order: since };
  switch (parked) {
    case 'account_required':
    case 'usage_limit':
    case 'vendor_overloaded':
      return { ready_key: parkedKey(parked), ready_order: since };
    case 'folder_busy':
      return { ready_key: folderKey(job.folder ?? ''), ready_order: readyOrder(job) };
    case 'profile_busy':
      return { ready_key: profileKey(job.profile), ready_order: readyOrder(job) };
    case 'question':
      return { ready_key: QUESTION_KEY, ready_order: since };
    case 'waiting_for_thread':
    case 'thread_stopped':
      if (job.turn === undefined) return { ready_key: EFFECTS_KEY, ready_order: since };
      return { ready_key: threadKey(job.thread_id ?? job.id), ready_order: turnOrder(job.turn) };
  }
}
