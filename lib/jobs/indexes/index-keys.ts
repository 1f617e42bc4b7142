import { isTerminal } from '../../contract/statuses.ts';
import { nextCheck } from '../lifecycle/effects.ts';
import { GATES, gateOf } from '../lifecycle/gates.ts';
import { bandOf, type Job } from '../lifecycle/job.ts';
import { indexedState, listKeyOf, suffixOf } from './list-keys.ts';
import { EFFECTS_KEY, gateKey, readyKey, readyOrder } from './ready-keys.ts';

/** The index keys of a job, all derived from its state. */
export function indexKeys(job: Job): {
  list_key: string;
  status_key?: string;
  ready_key?: string;
  ready_order?: string;
} {
  const suffix = suffixOf(job);
  const keys = {
    list_key: listKeyOf(job),
    ...((job.status !== 'SUCCEEDED' || job.cause.kind === 'system') && {
      status_key: `${indexedState(job)}#${suffix}`,
    }),
  };
  const due = isTerminal(job.status) ? nextCheck(job) : undefined;
  if (due !== undefined) return { ...keys, ready_key: EFFECTS_KEY, ready_order: due };
  if (job.status !== 'QUEUED') return keys;
  return { ...keys, ...(job.parked === undefined ? readyPlace(job) : parkedPlace(job)) };
}

interface ReadyPlace {
  readonly ready_key: string;
  readonly ready_order: string;
}

function readyPlace(job: Job): ReadyPlace {
  return { ready_key: readyKey(bandOf(job), job.project_id), ready_order: readyOrder(job) };
}

function parkedPlace(job: Job): ReadyPlace {
  const gate = gateOf(job);
  const since = job.due_at ?? job.updated_at;
  // A later version knows the gate.
  if (gate === undefined) return { ready_key: `parked#${job.parked}`, ready_order: since };
  switch (GATES[gate.kind].order) {
    case 'due':
      return { ready_key: gateKey(gate), ready_order: since };
    case 'best':
      return { ready_key: gateKey(gate), ready_order: readyOrder(job) };
    case 'turn':
      if (job.turn === undefined) return { ready_key: EFFECTS_KEY, ready_order: since };
      return { ready_key: gateKey(gate), ready_order: String(job.turn).padStart(8, '0') };
  }
}
