import type { Logger } from '@aws-lambda-powertools/logger';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { type DelegationContext, isTokenActive } from '../../lib/jobs/creation/child-rights.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Progress } from '../../lib/jobs/receipts/progress.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import type { Agent } from '../agents/agent.ts';
import type { Ending } from '../commands/ending.ts';
import type { Timing } from '../output/timing.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { askHuman } from './ask-human.ts';
import { attachFile } from './attach-file.ts';
import type { JobWatch } from './job-watch.ts';
import { reportProgress } from './report-progress.ts';
import { createJobTool, jobStatusTool } from './start-jobs.ts';
import { type Tool, ToolRefusedError } from './tool.ts';
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
