import { isTerminal } from '../../../lib/contract/statuses.ts';
import { waitsInThread } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';

/** Whether a write only records what concerns other turns of a thread or commands, or gives the job a new version. */
export function isThreadRecord(before: Job, after: Job): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Job>;
  return [...names].every((name) => RECORDED.has(name) || isSame(before[name], after[name]));
}

const RECORDED: ReadonlySet<string> = new Set([
  ...['thread_id', 'effects', 'version', 'change_id', 'updated_at', 'ready_key', 'ready_order', 'touched'],
  'turn',
]);

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** What is wrong with a write by the order of its thread; undefined: nothing. */
export function faultOfThread(before: Job | undefined, after: Job, jobs: () => readonly Job[]): string | undefined {
  if (before?.turn !== undefined && after.turn !== before.turn) return `turn ${before.turn} became ${after.turn}`;
  const { thread_id: thread, turn } = after;
  if (thread === undefined) return undefined;
  if (turn === undefined) return after.status === 'RUNNING' ? 'it runs in a thread without a turn' : undefined;
  const others = jobs().filter(({ id, thread_id }) => id !== after.id && thread_id === thread);
  if (before?.turn === undefined && others.some((other) => other.turn === turn)) return `two jobs have turn ${turn}`;
  if (after.status !== 'RUNNING' || before?.status === 'RUNNING') return undefined;
  if (others.some(({ status }) => status === 'RUNNING')) return 'two turns of a thread run';
  const lower = others.filter((other) => other.turn !== undefined && other.turn < turn);
  if (lower.some(({ status }) => !isTerminal(status))) return `turn ${turn} runs before a lower one has ended`;
  const last = lower.toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0)).at(-1);
  if (after.after_any !== true && last !== undefined && last.status !== 'SUCCEEDED')
    return `turn ${turn} runs after turn ${last.turn}, which is ${last.status}`;
  return undefined;
}

/** Whether a turn waits for a person: the turn before it has not succeeded, or waits for a person too. */
export function isStopped(job: Job, jobs: ReadonlyMap<string, Job>): boolean {
  if (!waitsInThread(job.parked) || job.turn === undefined) return false;
  const awaited = jobs.get(job.waits_for ?? '');
  if (awaited === undefined) return false;
  const hasFailed = awaited.status === 'FAILED' || awaited.status === 'CANCELLED';
  // A failed turn that was retried may wait for a person itself.
  return (job.parked === 'thread_stopped' && hasFailed) || isStopped(awaited, jobs);
}
