import * as z from 'zod';
import { AGENTS } from '../../contract/agents.ts';
import { knownOrLater } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/jobs/job-state.ts';
import { QUESTION_STATES } from '../../contract/schemas/jobs/question.ts';
import { STATUSES } from '../../contract/statuses.ts';
import { usageSchema } from '../../contract/usage.ts';
import { BANDS, type Band } from '../../platform/aws/tables.ts';
import { progressSchema } from '../receipts/progress.ts';
import { lostUsageSchema } from '../receipts/receipt.ts';
import { causeSchema } from './cause.ts';
import { effectSchema } from './effect.ts';
import { PARK_REASONS, PARKINGS } from './gates.ts';

/** A question of a job's agent. Its text, and the answer's, are in rows beside the job. */
const questionSchema = z.object({
  id: z.string(),
  state: knownOrLater(QUESTION_STATES),
  /** RFC 3339. */
  due: z.string(),
  /** The agent gave an answer that counts if nobody answers in time. */
  has_default: z.boolean().optional(),
  /** The row with the answer. */
  answer: z.string().optional(),
  /** Asked in an earlier round: no later attempt gets it, nor those before it. */
  stale: z.boolean().optional(),
});

export type Question = z.output<typeof questionSchema>;

/** A job as the table stores it: its state, and what summaries show. Prompts are stored beside it (`job-texts.ts`). */
export const jobItemSchema = z.object({
  id: z.string(),
  /** The schema that it was created with (`JOB_SCHEMA`). */
  schema: z.number(),
  status: knownOrLater(STATUSES),
  reason: knownOrLater(REASON_CODES),
  project_id: z.string(),
  project: z.string(),
  profile: z.string(),
  /** The profile's agent at creation or edit, then the agent that ran; absent: an attempt whose record is unreadable. */
  agent: knownOrLater(AGENTS).optional(),
  model: z.string().optional(),
  priority: z.number(),
  timeout: z.number().optional(),
  retries: z.number(),
  cwd: z.string().optional(),
  prompt_preview: z.string(),
  /** Address of the prompt texts: a hash of their content. */
  texts: z.string(),
  cause: causeSchema,
  /** What the first request for it asked for (`asked-fields.ts`), if its cause is one that is compared. */
  asked: z.record(z.string(), z.string()).optional(),
  created_by: z.string(),
  /** The token that it, or the first of its ancestors, was created with; absent: no token. */
  token_id: z.string().optional(),
  /** The job that a client copied this one from. */
  copied_from: z.string().optional(),
  /** The template that it was created from. Its texts have the values. */
  template: z.object({ name: z.string(), version: z.number() }).optional(),
  /** The automation that created it. */
  automation: z.string().optional(),
  /** Address of the title and tags (`job-labels.ts`); absent if it has neither. */
  labels: z.string().optional(),
  /** The job whose private folder this follow-up works in. Only the service sets it. */
  folder_of: z.string().optional(),
  /** A job that its agent started by a tool works in its private folder. */
  shares_folder: z.boolean().optional(),
  /**
   * The thread that it belongs to, by the id of its first job; absent: nothing continues this job. `turn`: absent while
   * it is a draft, or its turn is being recorded.
   */
  thread_id: z.string().optional(),
  turn: z.number().optional(),
  /** The job that this one was created to continue. */
  continues: z.string().optional(),
  /** The job that this one forks, and the newest attempt of that job then: the copy is made as of that attempt. */
  forked_from: z.string().optional(),
  forked_attempt: z.number().optional(),
  /** The attempt that made the copy; absent: none is made, and the turns of the forked thread wait. */
  copied_by: z.number().optional(),
  /** It starts however the turn before it ended. */
  after_any: z.boolean().optional(),
  /** While it is parked in its thread: the job that it waits for. */
  waits_for: z.string().optional(),
  /**
   * The jobs that it descends from, the one that a client created first and its parent last, each with its round when it
   * brought about the next; absent: its cause does not make it a descendant.
   */
  ancestors: z.array(z.object({ id: z.string(), round: z.number() })).optional(),
  created_at: z.string(),
  updated_at: z.string(),
  queued_at: z.string().optional(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** A QUEUED job can't be claimed before this time. */
  due_at: z.string().optional(),
  /** Number of the newest attempt; it is also the attempt's fence. */
  attempt: z.number(),
  /** Failures of this round that led to another attempt. */
  retries_used: z.number().optional(),
  /** Losses of workers in this round. */
  losses: z.number().optional(),
  /** The attempt whose session the next attempt continues, or the running one was to continue. */
  resume_from: z.number().optional(),
  /** The attempt whose session the newest attempt continued; absent until that has ended. */
  resumed_from: z.number().optional(),
  /** The oldest attempt of the chain of attempts that continue one session. */
  resume_oldest: z.number().optional(),
  /** The newest attempt when an edit last changed what its agent is asked, or where it works. */
  edited_after: z.number().optional(),
  /** The newest attempts that were lost: their outcome is not recorded, whatever receipts they left later. */
  lost_attempts: z.array(z.number()).optional(),
  /** What those had used by their saved sessions when they were lost, by attempt. It is counted. */
  lost_used: z.record(z.string(), lostUsageSchema).optional(),
  /** Milliseconds that the attempts of this chain have run; counted by the timeout. */
  ran_before: z.number().optional(),
  /** An attempt of this round started from the prompt because the CLI refused the session. */
  session_refused: z.boolean().optional(),
  /** Since when, without an answer of a model, its vendor has been overloaded, and in how many attempts of this round. */
  overload: z.object({ since: z.string(), attempts: z.number() }).optional(),
  /** Since when workers have handed it back because a newer CLI than theirs made its session. */
  older_cli_since: z.string().optional(),
  /** Starts in this round with a login that was renewed meanwhile. */
  login_restarts: z.number().optional(),
  worker_id: z.string().optional(),
  lease_until: z.string().optional(),
  cancel_requested_at: z.string().optional(),
  kill_requested: z.boolean().optional(),
  watched_until: z.string().optional(),
  /** The newest question of its agent, and those before it, oldest first. */
  question: questionSchema.optional(),
  earlier_questions: z.array(questionSchema).optional(),
  /** What the agent of the running attempt reported last. */
  progress: progressSchema.optional(),
  parked: knownOrLater(PARKINGS).optional(),
  /** Name of the folder that this job waits for, or uses exclusively while it runs. */
  folder: z.string().optional(),
  /** Name of the profile slot that it uses while it runs; absent: the profile sets no `concurrency`. */
  place: z.string().optional(),
  /** This job probes whether other jobs need to stay parked for this reason. */
  probing: knownOrLater(PARK_REASONS).optional(),
  /** What is due since it ended. */
  effects: z.array(effectSchema).optional(),
  /** How many messages it has accepted; absent if none. */
  messages: z.number().optional(),
  /** How often it was retried by request; absent: never. */
  round: z.number().optional(),
  /** Ids of the jobs that its agents have started by a tool. */
  tool_children: z.array(z.string()).optional(),
  /** `attempt.position` of each follow-up job, from which its id is derived. */
  follow_ups: z.array(z.string()).optional(),
  /** Follow-up requests of the newest attempt that were rejected, and why. */
  warnings: z.array(z.string()).optional(),
  /** The newest attempt's receipt records changes in its project's repository. */
  has_changes: z.boolean().optional(),
  /** What of the newest attempt could not be stored or reported, and why. */
  attempt_warnings: z.array(z.string()).optional(),
  error: z.string().optional(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  session_id: z.string().optional(),
  /** Of the newest attempt that reported its usage. */
  usage: usageSchema.optional(),
  /** Of all attempts before that one. */
  earlier_usage: usageSchema.optional(),
  /** The model that the newest attempt reported, else the one it was started with; absent if neither is known. */
  model_used: z.string().optional(),
  stdout_bytes: z.number().optional(),
  stderr_bytes: z.number().optional(),
  /** The output of the attempts up to this one was deleted by request, or is being deleted. `by`: who asked first. */
  output_deleted: z.object({ at: z.string(), by: z.string(), attempt: z.number() }).optional(),
  /** It is being removed because of its age; clients no longer see it. */
  removing: z.boolean().optional(),
  /** Incremented by every decided change, not by heartbeats or watch marks; every change is conditional on it. */
  version: z.number(),
  /** Names the last decided change, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
  /** The `change_id` of the newest claim: it stays when later writes change the job. */
  claim_id: z.string().optional(),
});
export type Job = z.output<typeof jobItemSchema>;

/** The band in which a job of this priority waits. */
export function bandOf(job: Pick<Job, 'priority'>): Band {
  if (job.priority > 0) return BANDS[0];
  return job.priority === 0 ? BANDS[1] : BANDS[2];
}
