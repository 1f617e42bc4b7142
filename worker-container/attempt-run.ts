import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { STDERR_TAIL } from '../lib/agents/agent-output.ts';
import type { Profile } from '../lib/catalog/profiles.ts';
import { composePrompt, promptLength } from '../lib/jobs/compose-prompt.ts';
import { collectFollowUps } from '../lib/jobs/follow-up-blocks.ts';
import type { Job } from '../lib/jobs/job.ts';
import type { Sources } from '../lib/jobs/output-answer.ts';
import { workingFolder } from '../lib/jobs/working-folder.ts';
import { agentEnvironment, secretsOf, vendorOf } from './agent-environment.ts';
import type { Agent, AgentCommand } from './agents/agent.ts';
import { AGENTS } from './agents/agents.ts';
import type { AttemptContext, AttemptRecord } from './attempt.ts';
import { AttemptClocks, timeoutMs } from './attempt-clocks.ts';
import { attemptOutcome } from './attempt-outcome.ts';
import type { Ending } from './ending.ts';
import { s3OutputObjects } from './output/output-objects.ts';
import { OutputShipper } from './output-shipper.ts';
import { endTree, spawnTree, type Tree, type TreeExit } from './process-tree.ts';

/** An attempt that has run, with its output still at hand. */
export interface AttemptRun {
  readonly record: AttemptRecord;
  readonly sources: Sources;
  readonly dispose: () => Promise<void>;
}

interface Surroundings {
  readonly attemptDir: string;
  readonly ending: Ending;
  /** Fires `watched` and `unwatched`. */
  readonly watched: EventTarget;
}

/**
 * Runs the profile's agent on a job until nothing of it is alive and all its output is kept.
 * @throws Error with a plain message when it can't be started.
 */
export async function runAgent(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: Surroundings,
): Promise<AttemptRun> {
  const { profile, agent, prompt, command, cwd, secrets } = await prepare(context, job, surroundings.attemptDir);
  const { ending } = surroundings;
  const followUps = collectFollowUps();
  const reader = agent.createReader(followUps.messages);
  const mark = `${context.markPrefix}${job.id}/${job.attempt}`;
  const clocks = new AttemptClocks(agent.name, ending, timeoutMs(job.timeout, context.env.PROMPTQ_TIMEOUT_UNIT));
  let stderrTail = Buffer.alloc(0);
  let tree: Tree | undefined;
  let shipper: OutputShipper | undefined;
  try {
    tree = await spawnTree({ ...command, cwd, mark });
    shipper = await OutputShipper.start({
      jobId: job.id,
      attempt: job.attempt,
      pipes: tree,
      spoolDir: join(surroundings.attemptDir, 'output'),
      outputBytes: context.env.PROMPTQ_OUTPUT_BYTES,
      objects: s3OutputObjects(context.objects, context.env.OUTPUT_BUCKET),
      secrets,
      onData: (stream, chunk) => {
        clocks.onOutput();
        if (stream === 'stderr') stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-STDERR_TAIL);
        else reader.push(chunk);
        if (reader.facts().finished) clocks.onFinished();
      },
      onLimit: () => ending.request('output_limit'),
      onError: (stream, error) => {
        context.log.error(`${stream} can't be kept`, error as Error);
        ending.request('output_failed');
      },
      onFailure: (stream, error) => context.log.warn(`shipping ${stream} failed; trying again`, error as Error),
    });
    const shipped = shipper;
    surroundings.watched.addEventListener('watched', () => shipped.setWatched(true));
    surroundings.watched.addEventListener('unwatched', () => shipped.setWatched(false));
    const { exit, byItself } = await untilEnded(tree, agent, mark, ending);
    clocks.stop();
    const streams = await shipper.finish({
      complete: byItself,
      // A worker that must go can't wait for an object store that does not answer; what was shipped live is there.
      ...(isLeaving(ending) && { signal: AbortSignal.timeout(LEAVING_LIMIT) }),
    });
    reader.end();
    const asked = followUps.found();
    const facts = agent.conclude(reader.facts(), { ...exit, stderrTail: stderrTail.toString() });
    const outcome = attemptOutcome({
      ending: byItself ? undefined : ending.reason,
      exit,
      facts,
      timeout: `${job.timeout} ${context.env.PROMPTQ_TIMEOUT_UNIT}`,
    });
    const record: AttemptRecord = {
      outcome,
      agent: profile.agent,
      streams,
      composed_prompt: prompt,
      ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
      ...(facts.usage !== undefined && { usage: facts.usage }),
      ...(facts.finalMessage !== undefined && { final_message: facts.finalMessage }),
      ...(asked !== undefined && { follow_ups: asked }),
    };
    const sources: Sources = { stdout: shipper.source('stdout'), stderr: shipper.source('stderr') };
    return { record, sources, dispose: () => shipped.dispose() };
  } catch (error) {
    if (tree !== undefined) await endTree({ child: tree, mark, politeSignal: agent.politeSignal, kill: true });
    if (shipper === undefined) for (const pipe of [tree?.stdout, tree?.stderr]) pipe?.destroy();
    await shipper?.dispose();
    throw error;
  } finally {
    clocks.stop();
  }
}

/** How long (ms) a worker that is stopping, or has lost the job, tries to join the output. */
const LEAVING_LIMIT = 10_000;

/** Whether the worker gives the job up instead of ending it. */
export function isLeaving({ reason }: Pick<Ending, 'reason'>): boolean {
  return reason === 'stopping' || reason === 'lost';
}

interface Prepared {
  readonly profile: Profile;
  readonly agent: Agent;
  readonly prompt: string;
  readonly command: AgentCommand;
  readonly cwd: string;
  readonly secrets: string[];
}

async function prepare(context: AttemptContext, job: Job, attemptDir: string): Promise<Prepared> {
  const { env, folders } = context;
  const profile = await context.profiles.get(job.profile);
  if (profile === undefined) throw new Error(`there is no profile ${job.profile} any more`);
  const agent = AGENTS[profile.agent];
  const texts = await context.texts.get(job);
  const { rules, unknown } = await context.rules.get(texts.rule_ids ?? []);
  if (unknown.length > 0) throw new Error(`there is no rule ${unknown.join(', ')} any more`);
  const prompt =
    agent.name === 'shell'
      ? composePrompt([], texts)
      : composePrompt(
          rules.map(({ text }) => text),
          texts,
        );
  if (promptLength(prompt) > agent.maxPromptLength)
    throw new Error(`the composed prompt is longer than agent ${agent.name} takes`);
  const folder = workingFolder(folders, job);
  if ('refused' in folder) throw new Error(`cwd: ${folder.refused}`);
  await mkdir(folder.path, { recursive: true });
  const command = await agent.prepare({
    prompt,
    model: job.model ?? profile.model,
    cwd: folder.path,
    attemptDir,
    args: profile.args,
    env: agentEnvironment(env, profile),
    sandbox: profile.sandbox,
    vendor: vendorOf(env, profile),
  });
  return { profile, agent, prompt, command, cwd: folder.path, secrets: secretsOf(env, profile) };
}

/** Until the agent has ended, or was ended, and nothing of its tree is alive. */
async function untilEnded(
  tree: Tree,
  agent: Agent,
  mark: string,
  ending: Ending,
): Promise<{ exit: TreeExit; byItself: boolean }> {
  const { politeSignal } = agent;
  const byItself = await Promise.race([tree.exited.then(() => true), ending.requested.then(() => false)]);
  // What an agent leaves behind when it has ended by itself is nobody's any more: it is not asked.
  const ended = endTree({ child: tree, mark, politeSignal, kill: byItself || ending.reason === 'killed' });
  const hurry = ending.hurried.then(() => endTree({ child: tree, mark, politeSignal, kill: true }));
  await Promise.race([ended, hurry]);
  return { exit: await tree.exited, byItself };
}
