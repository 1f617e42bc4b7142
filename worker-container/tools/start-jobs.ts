import * as z from 'zod';
import { ApiError, InvalidFieldError } from '../../lib/contract/errors.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { isTerminal } from '../../lib/contract/statuses.ts';
import type { DelegationContext } from '../../lib/jobs/creation/child-rights.ts';
import { delegatedJob, delegateJob } from '../../lib/jobs/creation/delegate-job.ts';
import { followUpIds } from '../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { type Tool, ToolRefusedError, tool } from './tool.ts';

/** Characters of a child's final message that its parent's agent gets. */
const FINAL_MESSAGE_LENGTH = 4_000;

/** Creates a job in the name of the running one. */
export function createJobTool(
  context: DelegationContext,
  {
    job,
    redaction,
    onShared,
  }: {
    readonly job: Job;
    readonly redaction: Redaction;
    /** Called before a job is created that may work in the running one's folder. */
    readonly onShared?: () => void;
  },
): Tool {
  return tool({
    name: 'create_job',
    description: `Start another job of Promptq, with another agent. It starts at once, beside this job, and continues even if this job fails or is cancelled. It has this job's project and profile; without cwd it gets a new folder. A job starts at most ${LIMITS.followUps.perJob} others, of at most its own priority; with all that these bring about, there are at most ${LIMITS.followUps.perTree}. Do not wait for it with your turn: ask job_status once or twice, or end your turn.`,
    input: delegatedJob.extend({
      prompt: delegatedJob.shape.prompt.unwrap(),
      cwd: delegatedJob.shape.cwd.describe(
        'Folder below your working folder, to share it with that job. Jobs that share it run one after the other.',
      ),
      profile: delegatedJob.shape.profile.describe('One that the profile of this job allows. Default: the same.'),
      key: z
        .string()
        .min(1)
        .max(LIMITS.idempotencyKeyLength)
        .optional()
        .describe('Two calls with the same key give one job. Default: two equal calls give one job.'),
    }),
    async call({ key, ...given }) {
      const request = redaction.strings(given, { except: new Set() });
      if (given.cwd !== undefined) onShared?.();
      const { id, replayed, differs } = await delegateJob(context, job, request, key).catch(refused);
      const others = differs.length === 0 ? '' : ` It was created with another ${differs.join(', ')}.`;
      return replayed
        ? `Job ${id} exists already.${others}`
        : `Created job ${id}. It starts now, and continues even if this job fails or is cancelled.`;
    },
  });
}

/** Tells the state of a job that the running one has brought about. */
export function jobStatusTool(context: DelegationContext, parent: Pick<Job, 'id'>): Tool {
  return tool({
    name: 'job_status',
    description: 'The state of a job that this job has started, and its final message once it has ended.',
    input: z.object({ id: z.string().max(LIMITS.nameLength).describe('As create_job has returned it.') }),
    async call({ id }) {
      const known = await context.jobs.get(parent.id, { consistent: true });
      const isChild = known !== undefined && followUpIds(known).includes(id);
      const job = isChild ? await context.jobs.get(id, { consistent: true }) : undefined;
      if (job === undefined || job.removing === true)
        throw new ToolRefusedError(`received ${JSON.stringify(id)}; this job has started no job of this id.`);
      const { status, reason, attempt, error, exit_code } = job;
      const receipt = isTerminal(status) && attempt > 0 ? await context.readReceipt(id, attempt) : undefined;
      const message = receipt?.final_message?.slice(0, FINAL_MESSAGE_LENGTH).toWellFormed();
      return JSON.stringify({ id, status, reason, attempt, error, exit_code, final_message: message });
    },
  });
}

function refused(error: unknown): never {
  if (error instanceof InvalidFieldError || error instanceof ApiError)
    throw new ToolRefusedError(`Not created: ${error.message}.`);
  throw error;
}
