import { isTerminal } from '../../../lib/contract/statuses.ts';
import { isOutputDeleted } from '../../../lib/jobs/lifecycle/deleted-output.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { attemptInKey, attemptsPrefix, isReceiptKey } from '../../../lib/jobs/output/output-keys.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/** What the deletion of a job's output changes of the job. */
const DELETED: ReadonlySet<string> = new Set([
  ...['error', 'session_id', 'warnings', 'attempt_warnings', 'has_changes', 'output_deleted', 'effects'],
  ...['updated_at', 'version', 'change_id', 'ready_key', 'ready_order', 'touched'],
]);

/** What is wrong with a write by a request to delete output; undefined: nothing. */
export function faultOfDeletion(before: Job, after: Job): string | undefined {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Job>;
  const isSame = (name: keyof Job) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  const other = [...names].find((name) => !DELETED.has(name) && !isSame(name));
  if (other !== undefined) return `a deletion of its output changed ${other}`;
  if (isSame('output_deleted')) return undefined;
  return isTerminal(after.status) ? undefined : `its output was deleted while it was ${after.status}`;
}

/** What is left of the deleted output of a job; none: no byte. */
export function leftOf({ objects, registry }: ModelDeployment, job: Job): string[] {
  const { current, earlier } = objects.keys(attemptsPrefix(job.id));
  const isGone = (key: string) => isOutputDeleted(job, attemptInKey(key));
  const rows = registry.all().filter(({ kind }) => String(kind) === `questions#${job.id}`);
  return [
    ...current.filter((key) => isGone(key) && !isReceiptKey(key)),
    ...current.filter((key) => isGone(key) && isReceiptKey(key) && !isCleared(objects.get(key))),
    // Two deletions at a time may both clear a receipt.
    ...earlier
      .filter(({ key, body }) => isGone(key) && !(isReceiptKey(key) && isCleared(body)))
      .map(({ key }) => `an earlier ${key}`),
    ...rows
      .filter(({ attempt }) => attempt !== undefined && isOutputDeleted(job, Number(attempt)))
      .map(({ id }) => `question ${String(id)}`),
  ];
}

function isCleared(receipt: Buffer | undefined): boolean {
  const { session_id, follow_ups, streams } = JSON.parse(String(receipt)) as Record<string, unknown> & {
    streams: { stdout: { sha256: string } };
  };
  return session_id === undefined && follow_ups === undefined && streams.stdout.sha256 === '';
}
