import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFault } from '../../lib/catalog/available-agents.ts';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { sandboxFault } from '../../lib/catalog/sandboxes.ts';
import { AGENT_DEFINITIONS } from '../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { workingFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { answerText } from '../../lib/jobs/questions/answer-text.ts';
import { readThread, type TurnWithJob } from '../../lib/jobs/threads/read-thread.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { RESUME_NOTE } from '../agent-sessions/resume-note.ts';
import type { Agent, AgentCommand } from '../agents/agent.ts';
import { agentEnvironment, practiceUrlOf, secretsOf, variableWarnings, vendorOf } from '../agents/agent-environment.ts';
import { AGENTS } from '../agents/agents.ts';
import type { Ending } from '../commands/ending.ts';
import { withMessages } from '../messages/given-messages.ts';
import { openRepository } from '../repository/job-repository.ts';
import type { JobWorktree } from '../repository/job-worktree.ts';
import type { Redaction } from '../secrets/redaction.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { giveTree } from '../service-accounts/untrusted-files.ts';
import { type AttemptTools, serveTools } from '../tools/attempt-tools.ts';
import { workFolders } from '../workspace/work-folders.ts';
import type { AttemptContext, AttemptSurroundings } from './attempt-context.ts';
import type { AttemptFiles } from './attempt-files.ts';
import { readSettings } from './attempt-settings.ts';
import { continueSession } from './continue-session.ts';
import { threadRecord } from './thread-record.ts';

/** An attempt whose agent can be started. */
export interface PreparedAttempt {
  readonly profile: Profile;
  readonly agent: Agent;
  readonly model: string | undefined;
  readonly prompt: string;
  /** Ids of the messages in the prompt. */
  readonly messages: readonly string[];
  readonly command: AgentCommand;
  readonly cwd: string;
  /** The job's working copy of its project's repository. */
  readonly worktree: JobWorktree | undefined;
  /** The session that the agent continues; undefined: it starts from the prompt. */
  readonly resumed: RestoredSession | undefined;
  /** Until it is closed. Undefined: the agent has no tools. */
  readonly tools: AttemptTools | undefined;
  /** Shown with the job. */
  readonly warnings: readonly string[];
}

/** Where, and under which account, an attempt is prepared. */
interface Surroundings {
  readonly attemptDir: string;
  readonly ending: Ending;
  readonly mark: string;
  readonly files: AttemptFiles;
  /** Collects the secrets that are read here. */
  readonly redaction: Redaction;
  readonly onProgress: AttemptSurroundings['onProgress'];
  readonly watch: AttemptSurroundings['job'];
}

/**
 * Reads what an attempt needs, and creates its folder or worktree and its agent's command.
 * @throws SettingsUnreadError; CancelledBeforeStartError; Error with a plain message if the job can't be run.
 */
export async function prepareAttempt(
  context: AttemptContext,
  job: Job,
  { files, onProgress, watch, ...at }: Surroundings,
): Promise<PreparedAttempt> {
  const { env, folders, account } = context;
  const { profile, texts, rules, secrets } = await readSettings(context, job);
  at.redaction.add(secretsOf(env, secrets));
  const unavailable = sandboxFault(profile.sandbox, env.PROMPTQ_SANDBOXES);
  if (unavailable !== undefined) throw new Error(`sandbox of profile ${profile.name}: ${unavailable}`);
  const missing = agentFault(profile.agent, env.PROMPTQ_AGENTS);
  if (missing !== undefined) throw new Error(`profile ${profile.name}: ${missing}`);
  const agent = AGENTS[profile.agent];
  const prompt =
    agent.name === 'shell'
      ? composePrompt([], texts)
      : composePrompt(
          rules.map(({ text }) => text),
          texts,
        );
  if (promptLength(prompt) > AGENT_DEFINITIONS[agent.name].maxPromptLength)
    throw new Error(`the composed prompt is longer than agent ${agent.name} takes`);
  const folder = workingFolder(folders, job);
  if ('rejected' in folder) throw new Error(`cwd: ${folder.rejected}`);
  const thread = await rethrowTransient(() => threadOf(context, job));
  await requireFolder(job, folder.path, thread);
  const runEnv = {
    ...agentEnvironment(env, profile, secrets, files.personal),
    PROMPTQ_ATTACHMENTS: files.attachments,
  };
  const lend = async () => await workFolders(context).lend(folder.path, job);
  const worktree = await openRepository(
    context,
    { env, account, ...at },
    {
      job,
      path: folder.path,
      workspaces: folders.workspaces,
      lend,
      agentEnv: runEnv,
      setupLog: join(files.own, 'setup.log'),
    },
  );
  const cwd = worktree === undefined ? await lend() : worktree.path;
  const model = job.model ?? profile.model;
  const session = await rethrowTransient(() =>
    continueSession(context, job, { agent, profile, cwd, files, ending: at.ending, thread }),
  );
  const { resumed } = session;
  const isFresh = resumed === undefined && thread !== undefined && agent.sessionFolder !== undefined;
  const told = isFresh ? await rethrowTransient(() => withRecord(context, job, { thread, prompt, agent })) : prompt;
  // A script takes no messages.
  const giving = {
    messages: context.texts.messages,
    now: () => context.clock.now(),
    inSession: resumed?.messageIds ?? new Set<string>(),
    most: AGENT_DEFINITIONS[agent.name].maxPromptLength,
  };
  const answer = await rethrowTransient(() => answerText(context.texts.questions, job));
  const asked = resumed?.attempt === undefined ? told : RESUME_NOTE;
  const begun = answer === undefined ? asked : `${asked}\n\n${answer}`;
  const { prompt: given, given: messages } =
    agent.name === 'shell'
      ? { prompt: begun, given: [] }
      : await rethrowTransient(() => withMessages(giving, job, begun));
  const { attachments } = files;
  const { redaction, ending } = at;
  const tools = await serveTools(context, {
    ...{ job, agent, profile, cwd, attachments },
    ...{ redaction, ending, watch, onProgress },
  });
  try {
    const command = await agent.prepare({
      prompt: given,
      resume: resumed?.sessionId,
      model,
      cwd,
      attemptDir: files.agent,
      args: profile.args,
      env: runEnv,
      sandbox: profile.sandbox,
      drive: profile.drive,
      vendor: vendorOf(env, profile),
      practiceUrl: practiceUrlOf(env, profile),
      tools,
    });
    await giveTree(files.agent, account);
    const warnings = [...variableWarnings(profile), ...session.warnings];
    return { profile, agent, model, prompt: given, messages, command, cwd, worktree, resumed, tools, warnings };
  } catch (error) {
    await tools?.close();
    throw error;
  }
}

/** The turns of the thread of a job that continues another one. */
async function threadOf(context: AttemptContext, job: Job): Promise<readonly TurnWithJob[] | undefined> {
  const { continues, thread_id: threadId } = job;
  return continues === undefined || threadId === undefined ? undefined : await readThread(context, threadId);
}

/** @throws Error if the folder that an earlier turn worked in was removed because of its age */
async function requireFolder(job: Job, path: string, thread: readonly TurnWithJob[] | undefined): Promise<void> {
  if (thread === undefined || job.cwd !== undefined || job.folder_of === undefined) return;
  const wasUsed = thread.some(({ job: other }) => typeof other === 'object' && other.status === 'SUCCEEDED');
  if (!wasUsed || (await lstat(path).catch(() => undefined)) !== undefined) return;
  throw new Error('the folder of the thread was removed because of its age; continue with "fresh_folder": true');
}

/** The prompt of a job whose agent does not know the thread, after what was said in it. */
async function withRecord(
  context: AttemptContext,
  job: Job,
  { thread, prompt, agent }: { thread: readonly TurnWithJob[]; prompt: string; agent: Agent },
): Promise<string> {
  const record = await threadRecord(context, thread, job.turn ?? 1);
  const told = composePrompt([...record.rules, record.text], { prompt });
  return promptLength(told) > AGENT_DEFINITIONS[agent.name].maxPromptLength ? prompt : told;
}
