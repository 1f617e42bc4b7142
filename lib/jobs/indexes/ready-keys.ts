import type { Band } from '../../platform/aws/tables.ts';
import { type Gate, isGateKind } from '../lifecycle/gates.ts';
import type { Job } from '../lifecycle/job.ts';

/** Partition of the ready index with the claimable jobs of a band and project, the best first. */
export function readyKey(band: Band, projectId: string): string {
  return `${band}#${projectId}`;
}

/** Partition of the ready index with ended jobs that have due effects, and jobs that are to get their turn. */
export const EFFECTS_KEY = 'effects';

/** Partition of the ready index with the jobs that wait at a gate, the next one first. */
export function gateKey({ kind, key }: Gate): string {
  return `${GATE}${kind}:${key}`;
}

/** The gate of a partition; undefined: it is one of no gate, or of one that only a later version knows. */
export function gateIn(readyKey: string): Gate | undefined {
  if (!readyKey.startsWith(GATE)) return undefined;
  const [kind = '', ...key] = readyKey.slice(GATE.length).split(':');
  return isGateKind(kind) ? { kind, key: key.join(':') } : undefined;
}

const GATE = 'gate#';

/** Sorts the highest priority first, then the longest wait. */
export function readyOrder(job: Pick<Job, 'priority' | 'queued_at' | 'created_at'>): string {
  const inverted = BigInt(Number.MAX_SAFE_INTEGER) - BigInt(job.priority);
  return `${inverted.toString().padStart(17, '0')}#${job.queued_at ?? job.created_at}`;
}
