import type { Job } from './job.ts';
import type { JobEdit } from './job-event.ts';
import { withStaleQuestion } from './question.ts';

/** How many attempts in a row may continue one session. */
export const MAX_RESUMES = 50;

/**
 * The job after an interruption: its next attempt continues the session of this one. If this one saved none, it
 * continues the newest that an attempt of the same chain saved, back to `resume_oldest`.
 */
export function withResume(job: Job): Job {
  const oldest = job.resume_oldest ?? job.attempt;
  if (job.agent === 'shell' || job.attempt - oldest >= MAX_RESUMES) return withoutResume(job);
  return { ...job, resume_from: job.attempt, resume_oldest: oldest };
}

/** The job whose next attempt starts from its prompt. */
export function withoutResume({ resume_from: _from, resume_oldest: _oldest, ...job }: Job): Job {
  return job;
}

/** The job after an edit: a session that began with other instructions, or elsewhere, is not continued. */
export function unlessEdited(job: Job, changes: JobEdit): Job {
  const isChanged = DECISIVE.some((name) => name in changes && changes[name] !== job[name]);
  return isChanged ? withStaleQuestion(withoutResume(job)) : job;
}

/** `texts` is the address of prompt, extra_prompt and rules. */
const DECISIVE = ['texts', 'profile', 'cwd'] as const;
