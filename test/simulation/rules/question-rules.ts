import { isTerminal } from '../../../lib/contract/statuses.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { questionsOf } from '../../../lib/jobs/lifecycle/question.ts';
import type { Actor } from '../model/client.ts';

/** How wrong (ms) a clock may be that has been set by the table's answers. */
const CLOCK_ERROR = 1_100;

/** What is wrong with a job that has a question, or waits for one; undefined: nothing. */
export function faultOfAsking(job: Job & { readonly status_key?: string }): string | undefined {
  const { status, parked, question, probing } = job;
  const isOpen = question?.state === 'open';
  if (isOpen !== (job.status_key?.startsWith(`${status}-question#`) === true))
    return `a ${isOpen ? 'job with an open question is not' : 'job without one is'} in the list of open questions`;
  if (parked === 'question' && !isOpen) return `parked for a question that is ${question?.state ?? 'missing'}`;
  if (parked === 'question' && probing !== undefined) return `a job that probes for ${probing} waits for an answer`;
  if (isOpen && status === 'QUEUED' && parked !== 'question') return 'a job with an open question does not wait for it';
  if (isOpen && (isTerminal(status) || status === 'DRAFT')) return `${status} with an open question`;
  return undefined;
}

/** What is wrong with a change of a job's question; undefined: nothing. */
export function faultOfQuestion(
  before: Job,
  after: Job,
  { actor, wall }: { readonly actor: Actor; readonly wall: number },
): string | undefined {
  const [was, is] = [before.question, after.question];
  const count = questionsOf(after).length - questionsOf(before).length;
  if (was?.id !== is?.id) {
    if (was?.state === 'open') return 'a question was asked while another was open';
    if (is?.state !== 'open' || count !== 1) return `a new question is ${is?.state}, after ${count} more`;
    if (before.status !== 'RUNNING' || after.status !== 'RUNNING') return `asked by a job that is ${before.status}`;
    return actor.id === before.worker_id ? undefined : `asked by ${actor.id} for ${before.worker_id}`;
  }
  if (count !== 0) return `${count} questions were counted, and none was asked`;
  if (was === undefined || is === undefined || was.state === is.state) return undefined;
  if (was.state !== 'open') return `a question that was ${was.state} became ${is.state}`;
  const due = Date.parse(was.due);
  switch (is.state) {
    case 'answered':
      if (actor.doing !== 'answer') return `a question was answered by ${actor.doing}`;
      // An answer is judged when it arrives. A slow function writes it later, if the question is still open.
      return Date.parse(after.updated_at) > due ? 'a question was answered after its deadline' : undefined;
    case 'expired':
      if (!['watch', 'work'].includes(actor.doing)) return `a question expired by ${actor.doing}`;
      return wall < due - CLOCK_ERROR ? 'a question expired before its deadline' : undefined;
    case 'withdrawn':
      // Its call failed, so that its agent does not wait for an answer (the world knows which calls failed).
      if (before.status === 'RUNNING' && after.status === 'RUNNING')
        return actor.id === before.worker_id ? undefined : `${actor.id} withdrew a question of ${before.worker_id}`;
      return isTerminal(after.status) || after.parked === undefined ? undefined : 'withdrawn, and still parked';
    default:
      return `an open question became ${is.state}`;
  }
}

/** Whether a write to a running job only opens or ends a question. */
export function isQuestionWrite(before: Job, after: Job): boolean {
  if (before.status !== 'RUNNING' || after.status !== 'RUNNING') return false;
  if (before.question?.id === after.question?.id && before.question?.state === after.question?.state) return false;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof Job>;
  return [...names].every((name) => CHANGED.has(name) || JSON.stringify(before[name]) === JSON.stringify(after[name]));
}

const CHANGED: ReadonlySet<string> = new Set([
  'question',
  'earlier_questions',
  'status_key',
  'version',
  'change_id',
  'updated_at',
  'touched',
]);
