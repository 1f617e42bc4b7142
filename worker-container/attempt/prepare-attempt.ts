import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFault } from '../../lib/catalog/available-agents.ts';
import type { Profile } from '../../lib/catalog/profiles.ts';
import { sandboxFault } from '../../lib/catalog/sandboxes.ts';
import { AGENT_DEFINITIONS } from '../../lib/contract/agents.ts';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { lacksCopy } from '../../lib/jobs/lifecycle/thread.ts';
import { ownFolder, resolveFolder, workingFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { answerText } from '../../lib/jobs/questions/answer-text.ts';
import { conversationBefore, type EarlierTurn } from '../../lib/jobs/threads/conversation.ts';
import type { RestoredSession } from '../agent-sessions/restore-session.ts';
import { RESUME_NOTE } from '../agent-sessions/resume-note.ts';
import type { Agent, AgentCommand } from '../agents/agent.ts';
import { agentEnvironment, practiceUrlOf, secretsOf, variableWarnings, vendorOf } from '../agents/agent-environment.ts';
import { AGENTS } from '../agents/agents.ts';
import type { Ending } from '../commands/ending.ts';
import { copyFolder, placeCopy } from '../forks/copy-folder.ts';
import { copied, sourceToCopy } from '../forks/fork-source.ts';
import { withMessages } from '../messages/given-messages.ts';
import { openRepository, type SourceWorktree } from '../repository/job-repository.ts';
import type { JobWorktree } from '../repository/worktree-record.ts';
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
  const earlier = await rethrowTransient(() => conversationBefore(context, job));
  await requireFolder(job, folder.path, earlier);
  const source = await rethrowTransient(() => sourceToCopy(context, job));
  const fork = source && (await forkedFolder(context, job, source));
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
      ...(fork !== undefined && { source: fork }),
    },
  );
  if (worktree === undefined && fork !== undefined) {
    await fork.lend();
    await copyFolder({ ...at, from: fork.path, to: folder.path, attempt: job.attempt, account });
    await fork.onCopied();
  }
  if (worktree === undefined && job.forked_from !== undefined)
    await placeCopy(folder.path, job.copied_by ?? job.attempt);
  const cwd = worktree === undefined ? await lend() : worktree.path;
  const model = job.model ?? profile.model;
  const session = await rethrowTransient(() =>
    continueSession(context, job, { agent, profile, cwd, files, ending: at.ending, earlier }),
  );
  const { resumed } = session;
  const isFresh = resumed === undefined && earlier !== undefined && agent.sessionFolder !== undefined;
  const told = isFresh ? await rethrowTransient(() => withRecord(context, { earlier, prompt, agent })) : prompt;
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

/** @throws Error if the folder that an earlier turn worked in was removed because of its age, or never copied */
async function requireFolder(job: Job, path: string, earlier: readonly EarlierTurn[] | undefined): Promise<void> {
  if (earlier === undefined || job.cwd !== undefined || job.folder_of === undefined) return;
  const users = earlier.filter(({ job: other }) => other.cwd === undefined && ownFolder(other) === ownFolder(job));
  const owner = users.find(({ job: { id } }) => id === job.folder_of)?.job;
  if (owner !== undefined && lacksCopy(owner))
    throw new Error(`the folder of job ${owner.id}, a fork, was never copied: retry that job`);
  const wasUsed = users.some(({ job: other }) => other.status === 'SUCCEEDED');
  if (!wasUsed || (await lstat(path).catch(() => undefined)) !== undefined) return;
  throw new Error('the folder of the thread was removed because of its age; continue with "fresh_folder": true');
}

/** The folder of the job that a fork forks. @throws Error if it was removed because of its age */
async function forkedFolder(context: AttemptContext, job: Job, source: Job): Promise<SourceWorktree> {
  const folder = resolveFolder(context.folders, source);
  if ('rejected' in folder) throw new Error(folder.rejected);
  const { path } = folder;
  if ((await lstat(path).catch(() => undefined)) === undefined)
    throw new Error(`the folder of job ${source.id}, which this one forks, was removed because of its age`);
  return {
    job: source,
    path,
    lend: async () => await workFolders(context).lend(path, source),
    onCopied: async () => await rethrowTransient(() => copied(context, job)),
  };
}

/** The prompt of a job whose agent does not know the thread, after what was said in it. */
async function withRecord(
  context: AttemptContext,
  { earlier, prompt, agent }: { earlier: readonly EarlierTurn[]; prompt: string; agent: Agent },
): Promise<string> {
  const record = await threadRecord(context, earlier);
  const told = composePrompt([...record.rules, record.text], { prompt });
  return promptLength(told) > AGENT_DEFINITIONS[agent.name].maxPromptLength ? prompt : told;
}
