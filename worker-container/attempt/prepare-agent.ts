import { agentFault } from '../../lib/catalog/available-agents.ts';
import { type Profile, secretNames } from '../../lib/catalog/profiles.ts';
import type { Rule } from '../../lib/catalog/rules.ts';
import { sandboxFault } from '../../lib/catalog/sandboxes.ts';
import type { ClaimReads } from '../../lib/jobs/admission/claim.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { JobTexts } from '../../lib/jobs/store/job-texts.ts';
import { conversationBefore } from '../../lib/jobs/threads/conversation.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { timeoutMs } from '../../lib/platform/config/timeout.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { type SessionOrigin, sessionOrigin } from '../agent-sessions/session-origin.ts';
import type { Agent, AgentCommand } from '../agents/agent.ts';
import {
  agentEnvironment,
  hiddenFromCommands,
  parameterVariables,
  practiceUrlOf,
  secretsOf,
  variableWarnings,
  vendorOf,
} from '../agents/agent-environment.ts';
import { AGENTS } from '../agents/agents.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import { attemptPrompt, jobPrompt } from '../prompt/attempt-prompt.ts';
import type { JobWorktree } from '../repository/worktree-record.ts';
import { isMaskedWell } from '../secrets/spellings.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { giveTree } from '../service-accounts/untrusted-files.ts';
import { type AttemptTools, serveTools } from '../tools/attempt-tools.ts';
import type { AgentAttempt, AttemptContext } from './attempt.ts';
import { continueSession } from './attempt-session.ts';
import { makeContext } from './context-files.ts';
import { openJobFolder } from './job-folder.ts';

/** An agent that can be started. */
export interface PreparedAgent {
  readonly cwd: string;
  /** The job's working copy of its project's repository. */
  readonly worktree: JobWorktree | undefined;
  /** When the folder was ready for the agent, in milliseconds since 1970 by the clock of its files. */
  readonly openedAt: number;
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
export async function prepareAgent(attempt: AgentAttempt): Promise<PreparedAgent> {
  const { worker, job, claim, files, clocks, ending, redaction } = attempt;
  const { env } = worker;
  const { profile, texts, rules, secrets } = await readSettings(worker, job, attempt.reads);
  redaction.add(secretsOf(env, secrets));
  const agent = agentOf(worker, profile);
  const own = jobPrompt(agent.name, rules, texts);
  const earlier = await rethrowTransient(() => conversationBefore(worker, job));
  const deadline = () => deadlineOf(clocks.deadline(worker.clock.now()));
  const agentEnv = {
    ...agentEnvironment(env, profile, secrets, files.personal),
    ...parameterVariables(attempt.reads.parameters(), texts.from),
    PROMPTQ_ATTACHMENTS: files.attachments,
    ...(await makeContext(attempt)),
    ...deadline(),
  };
  const { cwd, worktree } = await openJobFolder(attempt, { earlier, agentEnv });
  const openedAt = Date.now();
  const origin = await sessionOrigin(agent, agentEnv, attempt.login?.account);
  const session = await rethrowTransient(() => continueSession(attempt, { agent, profile, origin, cwd, earlier }));
  const { resumed } = session;
  if (resumed?.attempt !== undefined) clocks.onContinued(job.ran_before ?? 0);
  const prompted = await attemptPrompt(worker, job, {
    agent: agent.name,
    prompt: own,
    earlier: agent.sessionFolder === undefined ? undefined : earlier,
    resumed,
    redaction,
  });
  const { prompt, given: messages } = prompted;
  const tools = await serveTools(worker, {
    ...{ job, agent, profile, cwd, attachments: files.attachments, redaction, ending },
    ...{ watch: claim.watch, onProgress: claim.onProgress },
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
      env: { ...agentEnv, ...deadline() },
      hidden: hiddenFromCommands(profile),
      timeoutMs: timeoutMs(job.timeout, env.PROMPTQ_TIMEOUT_UNIT),
      sandbox: profile.sandbox,
      drive: profile.drive,
      vendor: vendorOf(env, profile),
      practiceUrl: practiceUrlOf(env, profile),
      tools,
    });
    await giveTree(files.agent, worker.account);
    // An agent that starts after this end would work beside the next attempt.
    if (ending.reason !== undefined) throw new CancelledBeforeStartError();
    const warnings = [...variableWarnings(profile), ...secretWarnings(secrets), ...session.warnings];
    return {
      ...{ cwd, worktree, openedAt, profile, agent, model, prompt, messages, command, origin, resumed, tools },
      warnings: [...warnings, ...prompted.warnings],
    };
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

/** Everything that an attempt must read before it can start. */
interface AttemptSettings {
  readonly profile: Profile;
  readonly texts: JobTexts;
  readonly rules: readonly Rule[];
  /** By name; missing ones are absent. */
  readonly secrets: ReadonlyMap<string, string>;
}

/**
 * Reads what an attempt needs.
 * @throws SettingsUnreadError if a service was busy or unreachable; Error with a plain message if the job can't be run.
 */
async function readSettings(context: AttemptContext, job: Job, reads: ClaimReads): Promise<AttemptSettings> {
  return await rethrowTransient(async () => {
    const { profile } = reads;
    if (profile === undefined) throw new Error(`profile ${job.profile} no longer exists`);
    const texts = await reads.texts();
    const { rules, unknown } = await context.rules.get(texts.rule_ids ?? []);
    if (unknown.length > 0) throw new Error(`the job's rules no longer exist: ${unknown.join(', ')}`);
    return { profile, texts, rules, secrets: await readSecrets(context, profile) };
  });
}

/** Values of the secrets that a profile refers to, by name; missing ones are absent. */
export async function readSecrets(
  { secrets }: Pick<AttemptContext, 'secrets'>,
  profile: Profile,
): Promise<ReadonlyMap<string, string>> {
  const names = secretNames(profile);
  return (names.length === 0 ? undefined : await secrets?.read(names, profile.name)) ?? new Map();
}
