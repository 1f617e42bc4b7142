import { isTerminal } from '../../../lib/contract/statuses.ts';
import { attemptsDue, effectOf } from '../../../lib/jobs/lifecycle/effects.ts';
import { isBusy, waitsInThread } from '../../../lib/jobs/lifecycle/gates.ts';
import { bandOf, type Job } from '../../../lib/jobs/lifecycle/job.ts';
import { isFailedTry, isTry } from '../rules/effect-rules.ts';
import type { Actor } from './client.ts';

/** What happens to jobs, as the simulator counts it: an event that never occurs in many lives is not tested. */
export const EVENTS = [
  'created',
  'created as a draft',
  'created as a follow-up',
  'created from a template',
  'template changed',
  'template deleted',
  'submitted',
  'edited',
  'moved to another band',
  'claimed',
  'succeeded',
  'failed',
  'retried automatically',
  'handed back',
  'lost',
  'failed for losses',
  'parked for the account',
  'parked for a limit',
  'parked for an overload',
  'probe started',
  'kept waiting by its folder',
  'kept waiting by a shared folder',
  'kept waiting by its profile',
  'unparked',
  'kept waiting by its thread',
  'stopped in its thread',
  'turn taken',
  'cancelled while waiting',
  'asked to end',
  'cancelled while running',
  'killed after its lease',
  'retried',
  'ended by its receipt',
  'ended by a reread',
  'ended by the watch',
  'follow-ups recorded',
  'corrected by a reread',
  'key answered again',
  'reread',
  'follow-ups recovered by a reread',
  'account linked',
  'messages reissued',
  'message accepted',
  'message delivered',
  'message not delivered',
  'message became a turn',
  'fork copied',
  'started by a tool',
  'ran beside the job that started it',
  'tree cancelled',
  'follow-up refused in a cancelled tree',
  'follow-up refused in a full tree',
  'follow-up refused for a revoked token',
  'asked a person',
  'answered while it ran',
  'answered while it waited',
  'parked for a question',
  'question expired while it ran',
  'question expired while it waited',
  'failed without an answer',
  'question withdrawn',
  'answer was the result of the call',
  'answer masked',
  'answer came with the prompt',
  'commands began',
  'commands succeeded',
  'commands failed',
  'commands timed out',
  'commands stopped with their worker',
  'commands lost with their worker',
  'commands given up while they ran',
  'commands withdrawn',
  'commands held for their thread',
  'commands kept waiting by a folder',
  'commands skipped after a later turn',
  'commands skipped after a retry',
  'deployed again',
  'delivery stored',
  'delivery posted again',
  'delivery sent again',
  'delivery evaluated at once',
  'delivery evaluated by the watch',
  'delivery skipped',
  'export made',
  'export continued after a death',
  'export deleted while it ran',
  'output deleted',
  'output deleted by the watch',
  'output deleted again after a loss',
  'deletion of output refused',
  'automation fired',
  'automation skipped an instant',
  'automation replaced its job',
  'automation run by a client',
  'automation paused for failures',
  'automation paused for its owner',
  'event started a job',
  'event started nothing',
  'event would make a circle',
  'event would make a chain too deep',
  'kept waiting by its automation',
  'effect tried by the watch',
  'effect failed',
] as const;
export type EventKind = (typeof EVENTS)[number];
export type EventCounts = Record<EventKind, number>;

export function noEvents(): EventCounts {
  return Object.fromEntries(EVENTS.map((kind) => [kind, 0])) as EventCounts;
}

/** What a write to a job means. */
export function eventsOfWrite(before: Job | undefined, after: Job, actor: Actor): EventKind[] {
  if (before === undefined) {
    if (after.ancestors !== undefined) return ['created as a follow-up'];
    return [after.status === 'DRAFT' ? 'created as a draft' : 'created'];
  }
  if (before.version === after.version) return [];
  if (actor.doing === 'say') return ['message accepted'];
  const deletion = eventsOfDeletion(before, after, actor);
  if (deletion !== undefined) return deletion;
  const asked = eventsOfQuestion(before, after);
  if (before.status === after.status && isFailedTry(before, after)) return ['effect failed'];
  if (before.status === after.status && isTry(before, after)) return ['effect tried by the watch'];
  const [hadMessages, hasMessages] = [effectOf(before, 'messages'), effectOf(after, 'messages')];
  if (hadMessages !== undefined && hasMessages === undefined && before.status === after.status) return [];
  if (before.status === 'RUNNING' && after.status !== 'RUNNING')
    return [...asked, ...eventsOfEnd(before, after, actor)];
  if (asked.length > 0 && before.status === after.status) return asked;
  if (before.status === after.status && isOfDeployments(before, after)) return asked;
  const event = EVENT_OF[`${before.status} ${after.status}`];
  return [...asked, ...(event === undefined ? eventsInState(before, after, actor) : [event])];
}

function eventsOfDeletion(before: Job, after: Job, { doing }: Actor): EventKind[] | undefined {
  const [was, is] = [effectOf(before, 'delete_output'), effectOf(after, 'delete_output')];
  if (before.output_deleted?.at !== after.output_deleted?.at) return ['output deleted'];
  if (was?.due_at === undefined && is?.due_at !== undefined && is.tries === undefined) return [];
  if (was === undefined || is !== undefined || before.status !== after.status)
    return doing === 'delete-output' ? [] : undefined;
  if (before.lost_attempts !== undefined) return ['output deleted again after a loss'];
  return doing === 'watch' ? ['output deleted by the watch'] : [];
}

function isOfDeployments(before: Job, after: Job): boolean {
  return attemptsDue(before, 'commands').join() !== attemptsDue(after, 'commands').join();
}

function eventsOfQuestion(before: Job, after: Job): EventKind[] {
  const [was, is] = [before.question, after.question];
  if (is === undefined) return [];
  if (was?.id !== is.id) return ['asked a person'];
  if (was.state === is.state) return [];
  const runs = before.status === 'RUNNING';
  if (is.state === 'answered') return [runs ? 'answered while it ran' : 'answered while it waited'];
  if (is.state === 'withdrawn') return ['question withdrawn'];
  return [runs ? 'question expired while it ran' : 'question expired while it waited'];
}

const EVENT_OF: Readonly<Record<string, EventKind>> = {
  'DRAFT QUEUED': 'submitted',
  'DRAFT CANCELLED': 'cancelled while waiting',
  'QUEUED CANCELLED': 'cancelled while waiting',
  'QUEUED FAILED': 'failed without an answer',
  'QUEUED RUNNING': 'claimed',
  'RUNNING RUNNING': 'asked to end',
  'SUCCEEDED QUEUED': 'retried',
  'FAILED QUEUED': 'retried',
  'CANCELLED QUEUED': 'retried',
};

const EVENT_OF_REQUEUE: Readonly<Record<string, EventKind>> = {
  retry_backoff: 'retried automatically',
  waiting_for_worker: 'handed back',
  worker_lost: 'lost',
  account_required: 'parked for the account',
  usage_limit: 'parked for a limit',
  vendor_overloaded: 'parked for an overload',
  question: 'parked for a question',
};

function eventsOfEnd(before: Job, after: Job, { id, doing }: Actor): EventKind[] {
  const events: EventKind[] = [];
  const isLoss = after.losses !== before.losses;
  if (after.status === 'QUEUED') events.push(EVENT_OF_REQUEUE[after.reason] ?? 'lost');
  else if (after.status === 'CANCELLED')
    events.push(doing === 'kill' ? 'killed after its lease' : 'cancelled while running');
  else if (after.status === 'FAILED') events.push(isLoss ? 'failed for losses' : 'failed');
  else events.push('succeeded');
  if (doing === 'watch') events.push('ended by the watch');
  if (doing === 'reread') events.push('ended by a reread');
  if (!isLoss && doing !== 'kill' && id !== before.worker_id) events.push('ended by its receipt');
  return events;
}

function eventsInState(before: Job, after: Job, { doing }: Actor): EventKind[] {
  if (before.parked === undefined && after.parked === 'folder_busy')
    return [after.folder_of === undefined ? 'kept waiting by its folder' : 'kept waiting by a shared folder'];
  if (before.parked === undefined && after.parked === 'automation_busy') return ['kept waiting by its automation'];
  if (before.parked === undefined && isBusy(after.parked)) return ['kept waiting by its profile'];
  if (before.turn === undefined && after.turn !== undefined) return ['turn taken'];
  if (after.parked !== before.parked && waitsInThread(after.parked))
    return [after.parked === 'thread_stopped' ? 'stopped in its thread' : 'kept waiting by its thread'];
  if (before.parked !== undefined && after.parked === undefined)
    return [after.probing === undefined ? 'unparked' : 'probe started'];
  if (doing === 'edit') return bandOf(before) === bandOf(after) ? ['edited'] : ['edited', 'moved to another band'];
  const isSame = attemptsDue(before, 'follow_ups').join() === attemptsDue(after, 'follow_ups').join();
  if (doing === 'reread' && isSame && before.follow_ups === after.follow_ups) return ['corrected by a reread'];
  return isTerminal(after.status) || !isSame ? ['follow-ups recorded'] : [];
}
