import { timestamp } from '../../platform/aws/table-clock.ts';
import type { LostUsage, Receipt } from '../receipts/receipt.ts';
import type { Job } from './job.ts';
import type { JobEdit } from './job-event.ts';
import { LEASE } from './lease.ts';
import { withStaleQuestion } from './question.ts';

/** How many attempts may continue one session, one after the other. Those that waited in vain don't count. */
const MAX_RESUMES = 50;

/**
 * The job after an interruption: its next attempt continues the session of this one. If this one saved none, it
 * continues the newest that an attempt of the same chain saved, back to `resume_oldest`.
 * @param endedAt RFC 3339. The time that the attempt ran counts for the timeout
 * @param receipt of the attempt, which may be applied long after that has ended; undefined: it was lost
 */
export function withResume(job: Job, endedAt: string, receipt?: ResumeEvidence): Job {
  if (job.agent === 'shell') return withoutResume(job);
  if (receipt !== undefined && wasInVain(receipt)) return job;
  if ((receipt?.chain ?? []).length >= MAX_RESUMES) return withoutResume(job);
  const oldest = job.resume_oldest ?? job.attempt;
  const began = Date.parse(job.started_at ?? '');
  const ended = Math.min(Date.parse(endedAt), Date.parse(receipt?.finished_at ?? endedAt));
  const ran = Math.max(0, ended - began) || 0;
  // An agent that could not continue the session began the work, and its time, from the start.
  const startedOver = receipt?.agent !== undefined && receipt.resumed_from === undefined;
  const before = startedOver ? 0 : (job.ran_before ?? 0);
  return { ...job, resume_from: job.attempt, resume_oldest: oldest, ran_before: before + ran };
}

type ResumeEvidence = Pick<
  Receipt,
  'outcome' | 'finished_at' | 'agent' | 'resumed_from' | 'chain' | 'usage' | 'final_message'
>;

/**
 * Whether an attempt only found that its job still has to wait for the vendor: no model has answered, so the session
 * is as it was. A job may be tried every minute for days, each time with another note in its session.
 */
function wasInVain({ outcome, agent, resumed_from, usage, final_message }: ResumeEvidence): boolean {
  if (outcome.kind !== 'parked') return false;
  if (agent === undefined) return true;
  return resumed_from !== undefined && final_message === undefined && (usage?.output_tokens ?? 0) === 0;
}

/** The job after a timeout: its next attempt continues the session of this one, and gets the whole timeout. */
export function afterTimeout(...[job, endedAt, receipt]: Parameters<typeof withResume>): Job {
  const { ran_before: _ran, ...resuming } = withResume(job, endedAt, receipt);
  return resuming;
}

/** The job whose next attempt starts from its prompt. */
export function withoutResume(job: Job): Job {
  const { resume_oldest: _oldest, ...rest } = withoutNextResume(job);
  return rest;
}

/** The ended job. A retry may still continue the session of its last chain of attempts. */
export function withoutNextResume({ resume_from: _from, ran_before: _ran, ...job }: Job): Job {
  return job;
}

/** The job that was retried so that its next attempt continues its last session. It gets its whole timeout. */
export function withLastSession(job: Job, { attempt, resume_oldest: oldest = attempt }: Job): Job {
  return { ...job, resume_from: attempt, resume_oldest: oldest };
}

/**
 * The job whose attempt was lost.
 * @param used is counted now. What is not known yet is counted with the attempt that continues its session
 */
export function withLoss({ lost_used, ...job }: Job, used?: LostUsage): Job {
  const lost_attempts = [...(job.lost_attempts ?? []), job.attempt].slice(-MAX_RESUMES);
  const all: Record<string, LostUsage> = { ...lost_used, ...(used !== undefined && { [job.attempt]: used }) };
  const kept = Object.entries(all).filter(([attempt]) => lost_attempts.includes(Number(attempt)));
  return { ...job, lost_attempts, ...(kept.length > 0 && { lost_used: Object.fromEntries(kept) }) };
}

/** What a lost attempt used, as far as it is counted. */
export function usedByLost({ lost_used }: Pick<Job, 'lost_used'>, attempt: number): LostUsage | undefined {
  return lost_used?.[attempt];
}

export function wasLost({ lost_attempts: lost = [] }: Pick<Job, 'lost_attempts'>, attempt: number): boolean {
  return lost.includes(attempt);
}

/** When a lost worker was heard last, RFC 3339. */
export function lastHeard({ lease_until: until, started_at: started }: Job, at: string): string {
  return until === undefined ? (started ?? at) : timestamp(Date.parse(until) - LEASE.duration);
}

/** The job after an edit: a session that began with other instructions, or elsewhere, is not continued. */
export function unlessEdited(job: Job, changes: JobEdit): Job {
  const isChanged = DECISIVE.some((name) => name in changes && changes[name] !== job[name]);
  if (!isChanged) return job;
  return { ...withStaleQuestion(withoutResume(job)), ...(job.attempt > 0 && { edited_after: job.attempt }) };
}

/** `texts` is the address of prompt, extra_prompt and rules. */
const DECISIVE = ['texts', 'profile', 'cwd'] as const;
