import { agentFault } from '../../lib/catalog/available-agents.ts';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { sandboxFault } from '../../lib/catalog/sandboxes.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { conversationBefore } from '../../lib/jobs/threads/conversation.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { timeoutMs } from '../../lib/platform/config/timeout.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { type SessionOrigin, sessionOrigin } from '../agent-sessions/session-origin.ts';
import type { Agent, AgentCommand } from '../agents/agent.ts';
import {
  agentEnvironment,
  hiddenFromCommands,
  practiceUrlOf,
  secretsOf,
  variableWarnings,
  vendorOf,
} from '../agents/agent-environment.ts';
import { AGENTS } from '../agents/agents.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { attemptPrompt, jobPrompt } from '../prompt/attempt-prompt.ts';
import { isMaskedWell } from '../secrets/spellings.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { giveTree } from '../service-accounts/untrusted-files.ts';
import { type AttemptTools, serveTools } from '../tools/attempt-tools.ts';
import type { AttemptContext, AttemptSurroundings } from './attempt-context.ts';
import type { AttemptFiles } from './attempt-files.ts';
import { readSettings } from './attempt-settings.ts';
import { continueSession } from './continue-session.ts';
import { type FolderSurroundings, type JobFolder, openJobFolder } from './job-folder.ts';

/** An attempt whose agent can be started. */
export interface PreparedAttempt extends JobFolder {
  readonly profile: Profile;
  readonly agent: Agent;
  readonly model: string | undefined;
  readonly prompt: string;
  /** Ids of the messages in the prompt. */
  readonly messages: readonly string[];
  readonly command: AgentCommand;
  readonly origin: SessionOrigin;
  /** The session that the agent continues; undefined: it starts from the prompt. */
  readonly resumed: RestoredSession | undefined;
  /** Until it is closed. Undefined: the agent has no tools. */
  readonly tools: AttemptTools | undefined;
  /** Shown with the job. */
  readonly warnings: readonly string[];
}

/** Where, and under which account, an attempt is prepared. Its redaction collects the secrets that are read here. */
export interface PreparingSurroundings extends FolderSurroundings {
  /** The name of the linked account, if the agent uses it. */
  readonly account: string | undefined;
  readonly files: AttemptFiles;
  readonly onProgress: AttemptSurroundings['onProgress'];
  /** Called if it continues an interrupted attempt. */
  readonly onContinued: () => void;
  readonly watch: AttemptSurroundings['job'];
  /** When the attempt is ended, in milliseconds since 1970; undefined: never. */
  readonly deadline: () => number | undefined;
}

/** Warnings for a job about secrets whose values are not masked, or whose masks change other text too. */
function secretWarnings(secrets: ReadonlyMap<string, string>): string[] {
  return [...secrets]
    .filter(([, value]) => !isMaskedWell(value))
    .map(([name]) => `secret ${name} is too short or too plain a word to be masked well: set a longer random value`);
}

/**
 * Reads what an attempt needs, and creates its folder or worktree and its agent's command.
 * @throws SettingsUnreadError; CancelledBeforeStartError; Error with a plain message if the job can't be run.
 */
export async function prepareAttempt(
  context: AttemptContext,
  job: Job,
  { files, onProgress, onContinued, watch, account: login, ...at }: PreparingSurroundings,
): Promise<PreparedAttempt> {
  const { env, account } = context;
  const { profile, texts, rules, secrets } = await readSettings(context, job, at.reads);
  at.redaction.add(secretsOf(env, secrets));
  const agent = agentOf(context, profile);
  const own = jobPrompt(agent.name, rules, texts);
  const earlier = await rethrowTransient(() => conversationBefore(context, job));
  const agentEnv = {
    ...agentEnvironment(env, profile, secrets, files.personal),
    PROMPTQ_ATTACHMENTS: files.attachments,
    ...deadlineOf(at.deadline()),
  };
  const { cwd, worktree } = await openJobFolder(context, job, at, { earlier, files, agentEnv });
  const origin = await sessionOrigin(agent, agentEnv, login);
  const session = await rethrowTransient(() =>
    continueSession(context, job, { agent, profile, origin, cwd, files, ending: at.ending, earlier }),
  );
  const { resumed } = session;
  if (resumed?.attempt !== undefined) onContinued();
  const {
    prompt,
    given,
    warnings: shortened,
  } = await attemptPrompt(context, job, {
    agent: agent.name,
    prompt: own,
    earlier: agent.sessionFolder === undefined ? undefined : earlier,
    resumed,
    redaction: at.redaction,
  });
  const { attachments } = files;
  const { redaction, ending } = at;
  const tools = await serveTools(context, {
    ...{ job, agent, profile, cwd, attachments },
    ...{ redaction, ending, watch, onProgress },
  });
  const model = job.model ?? profile.model;
  try {
    const command = await agent.prepare({
      prompt,
      resume: resumed?.sessionId,
      model,
      cwd,
      attemptDir: files.agent,
      args: profile.args,
      env: { ...agentEnv, ...deadlineOf(at.deadline()) },
      hidden: hiddenFromCommands(profile),
      timeoutMs: timeoutMs(job.timeout, env.PROMPTQ_TIMEOUT_UNIT),
      sandbox: profile.sandbox,
      drive: profile.drive,
      vendor: vendorOf(env, profile),
      practiceUrl: practiceUrlOf(env, profile),
      tools,
    });
    await giveTree(files.agent, account);
    // An agent that starts after this end would work beside the next attempt.
    if (ending.reason !== undefined) throw new CancelledBeforeStartError();
    const warnings = [...variableWarnings(profile), ...secretWarnings(secrets), ...session.warnings, ...shortened];
    return { profile, agent, model, prompt, messages: given, command, cwd, worktree, origin, resumed, tools, warnings };
  } catch (error) {
    await tools?.close();
    throw error;
  }
}

/** The deadline as commands read it. */
function deadlineOf(deadline: number | undefined): { PROMPTQ_DEADLINE?: string } {
  return deadline === undefined ? {} : { PROMPTQ_DEADLINE: timestamp(deadline) };
}

/** The profile's agent. @throws Error if this worker lacks it, or the profile's sandbox */
function agentOf({ env }: Pick<AttemptContext, 'env'>, profile: Profile): Agent {
  const unavailable = sandboxFault(profile.sandbox, env.PROMPTQ_SANDBOXES);
  if (unavailable !== undefined) throw new Error(`sandbox of profile ${profile.name}: ${unavailable}`);
  const missing = agentFault(profile.agent, env.PROMPTQ_AGENTS);
  if (missing !== undefined) throw new Error(`profile ${profile.name}: ${missing}`);
  return AGENTS[profile.agent];
}
