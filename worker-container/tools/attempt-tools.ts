import type { Logger } from '@aws-lambda-powertools/logger';
import * as z from 'zod';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { ApiError, InvalidFieldError } from '../../lib/contract/errors.ts';
import { isLegible, LEGIBLE } from '../../lib/contract/input/legible.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { isTerminal } from '../../lib/contract/statuses.ts';
import { type DelegationContext, isTokenActive } from '../../lib/jobs/creation/child-rights.ts';
import { delegatedJob, delegateJob } from '../../lib/jobs/creation/delegate-job.ts';
import { followUpIds } from '../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import { type Clock, timestamp } from '../../lib/platform/aws/table-clock.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { Agent } from '../agents/agent.ts';
import type { Ending } from '../commands/ending.ts';
import type { Timing } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { askHuman } from './ask-human.ts';
import { attachFile } from './attach-file.ts';
import type { JobWatch } from './job-watch.ts';
import { type Tool, ToolRefusedError, tool } from './tool.ts';
import { startToolServer, type ToolServer } from './tool-server.ts';

/** What tools need from the worker. */
interface ToolContext extends DelegationContext {
  readonly env: Pick<WorkerEnv, 'PROMPTQ_VERSION' | 'PROMPTQ_ANSWER_WAIT_SECONDS'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly account?: ServiceAccount | undefined;
  readonly timing?: Timing | undefined;
}

/** What the tools of an attempt work with. */
interface ToolUse {
  readonly agent: Agent;
  readonly profile: Profile;
  readonly cwd: string;
  readonly attachments: string;
  /** Masks what leaves the attempt by a tool; learns the server's key. */
  readonly redaction: Redaction;
  readonly onProgress: (progress: Progress) => void;
  readonly ending: Ending;
  readonly job: Job;
  readonly watch: JobWatch;
}

/** The tools of an attempt, while they are served. */
export interface AttemptTools extends ToolServer {
  /** Whether the agent has asked a question and got no answer, to it or to a later one. */
  isAsking(): boolean;
  /** Whether the agent may have started a job in its own folder. */
  isSharing(): boolean;
}

/** Serves the tools of an attempt. @returns undefined: its agent takes none, or its profile turns them off */
export async function serveTools(
  context: ToolContext,
  { agent, profile, cwd, attachments, redaction, onProgress, ending, job, watch }: ToolUse,
): Promise<AttemptTools | undefined> {
  if (!agent.takesTools || profile.tools === 'off') return undefined;
  let isAsking = false;
  let isSharing = false;
  const onShared = () => {
    isSharing = true;
  };
  const tools = [
    attachFile({ cwd, attachments, account: context.account }),
    reportProgress(onProgress, { redaction, clock: context.clock }),
    createJobTool(context, { job, redaction, onShared }),
    jobStatusTool(context, job),
    askHuman(context, {
      job,
      watch,
      redaction,
      waitMs: context.env.PROMPTQ_ANSWER_WAIT_SECONDS * 1000,
      onUnanswered: () => {
        isAsking = true;
      },
      onAnswered: () => {
        isAsking = false;
      },
      onLate: () => ending.request('asked'),
      onFailure: (error) => context.log.warn('an answer was not read, or a question not withdrawn', error as Error),
      timing: context.timing,
    }),
  ];
  const checked = tools.map((tool) => whileTokenActive(context, job, tool));
  const { log, env, account } = context;
  const server = await startToolServer(checked, { log, version: env.PROMPTQ_VERSION, uid: account?.uid });
  redaction.add([server.key]);
  return { ...server, isAsking: () => isAsking, isSharing: () => isSharing };
}

/** Tools act with the rights of the job's token: suspending or revoking it stops them at the next call. */
function whileTokenActive({ registry }: ToolContext, job: Job, tool: Tool): Tool {
  return {
    ...tool,
    async call(input, signal) {
      if (await isTokenActive(registry, job)) return await tool.call(input, signal);
      throw new ToolRefusedError(
        'The token with which this job was created is suspended or revoked: its calls of tools are refused.',
      );
    },
  };
}

/** @param onProgress called with the masked text; the next heartbeat stores it */
export function reportProgress(
  onProgress: (progress: Progress) => void,
  { redaction, clock }: { readonly redaction: Redaction; readonly clock: Clock },
): Tool {
  return tool({
    name: 'report_progress',
    description:
      'Tell the people who wait for this job how far you are. They see the newest report next to the job, within 10 seconds.',
    input: z.object({
      text: z
        .string()
        .min(1)
        .max(LIMITS.progressLength, { error: `expected at most ${LIMITS.progressLength} characters`, abort: true })
        .refine(isLegible, LEGIBLE)
        .describe('One line: what is done, or what you are doing now.'),
      percent: z.number().int().min(0).max(100).optional().describe('How much of the whole job is done.'),
    }),
    async call({ text, percent }) {
      const masked = redaction.text(text);
      onProgress({ text: masked, ...(percent !== undefined && { percent }), at: timestamp(clock.now()) });
      return 'Noted.';
    },
  });
}

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
