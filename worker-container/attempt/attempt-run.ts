import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Profile, secretNames } from '../../lib/catalog/profiles.ts';
import { claimedProfile, claimedSettings } from '../../lib/jobs/admission/claim-reads.ts';
import { collectFollowUps } from '../../lib/jobs/creation/collect-follow-ups.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { OutputSources } from '../../lib/jobs/output/output-source.ts';
import { timeoutMs, timeoutText } from '../../lib/platform/config/timeout.ts';
import { STDERR_TAIL_BYTES } from '../../lib/vendors/output/agent-output.ts';
import { AttemptLogin } from '../account/attempt-login.ts';
import { usesLogin } from '../agents/agent-environment.ts';
import type { Ending } from '../commands/ending.ts';
import { AgentNotStartedError } from '../commands/not-started-error.ts';
import { endTree, spawnTree, type Tree } from '../commands/process-tree.ts';
import { untilEnded } from '../commands/until-ended.ts';
import { startDrive } from '../drives/start-drive.ts';
import { MessageCourier } from '../messages/message-courier.ts';
import { s3OutputObjects } from '../output/output-objects.ts';
import { OutputShipper } from '../output/output-shipper.ts';
import { changesOf, NO_CHANGES } from '../repository/worktree-changes.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import { AttemptClocks } from './attempt-clocks.ts';
import type { AttemptContext, AttemptRecord, AttemptRun, AttemptSurroundings } from './attempt-context.ts';
import { keepAttemptFiles, makeAttemptFiles, recordOf } from './attempt-files.ts';
import { attemptOutcome } from './attempt-outcome.ts';
import { type AttemptSession, saveSession, unlessRefused } from './attempt-session.ts';
import { prepareAttempt } from './prepare-attempt.ts';

/**
 * Runs the profile's agent on a job until none of its processes is alive and all its output is stored.
 * @throws Error with a plain message when it can't be started.
 */
export async function runAgent(
  worker: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: AttemptSurroundings,
): Promise<AttemptRun> {
  const context = { ...worker, ...readBefore(worker, job) };
  const login = await rethrowTransient(() => loginOf(context, job, surroundings.attemptDir));
  surroundings.redaction.add(login?.secrets ?? []);
  try {
    return await runWithLogin(context, job, { ...surroundings, login });
  } finally {
    await login?.close();
  }
}

async function runWithLogin(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  surroundings: AttemptSurroundings & { readonly login: AttemptLogin | undefined },
): Promise<AttemptRun> {
  const { ending, attemptDir, login, redaction, onProgress, job: watch } = surroundings;
  const mark = `${context.markPrefix}${job.id}/${job.attempt}`;
  const clocks = new AttemptClocks(ending, timeoutMs(job.timeout, context.env.PROMPTQ_TIMEOUT_UNIT), job.ran_before);
  const { account } = context;
  const files = makeAttemptFiles(attemptDir, account);
  const at = { attemptDir, ending, mark, files, redaction, onProgress, watch };
  const prepared = await prepareAttempt(context, job, at).catch(async (error: unknown) => {
    clocks.stop();
    // The author of a failed setup command needs its output.
    throw new AgentNotStartedError(
      error,
      await keepAttemptFiles(context, job, { files, redaction, limit: DRAIN_TIMEOUT_MS }),
    );
  });
  const { profile, agent, model, prompt, command, cwd, worktree, tools } = prepared;
  if (prepared.resumed?.attempt === undefined) clocks.onFresh();
  const followUps = collectFollowUps();
  const reader = agent.createReader(followUps.messages);
  let stderrTail = Buffer.alloc(0);
  let tree: Tree | undefined;
  let shipper: OutputShipper | undefined;
  let session: AttemptSession | undefined;
  try {
    const isTalking = command.drive.talk !== undefined;
    tree = await spawnTree({ ...command, ...(isTalking && { stdin: undefined }), cwd, mark, account });
    clocks.onStart(agent.name);
    const courier = new MessageCourier({
      messages: context.texts.messages,
      now: () => context.clock.now(),
      job,
      given: prepared.messages,
      onFailure: (error) => context.log.warn('a message was not delivered or recorded', error as Error),
    });
    const drive = startDrive(command.drive, tree.stdin, (id) => courier.onSeen(id));
    surroundings.watched.addEventListener('messages', () => courier.check());
    if (drive !== undefined) courier.open((message) => drive.say(message));
    const saving = saveSession(context, job, prepared, {
      files,
      redaction,
      sessionId: () => reader.facts().sessionId,
    });
    session = saving;
    shipper = await OutputShipper.start({
      jobId: job.id,
      attempt: job.attempt,
      pipes: tree,
      spoolDir: join(attemptDir, 'output'),
      outputBytes: context.env.PROMPTQ_OUTPUT_BYTES,
      objects: s3OutputObjects(context.objects, context.env.OUTPUT_BUCKET),
      redaction,
      onStdout: (chunk) => drive?.push(chunk),
      onData: (stream, chunk) => {
        clocks.onOutput();
        if (stream === 'stderr') stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES);
        else {
          reader.push(chunk);
          saving.grown();
          if (reader.facts().sessionId !== undefined) courier.onPromptSeen();
        }
        if (reader.facts().finished) clocks.onFinished();
        else clocks.onUnfinished();
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
    const { exit, byItself } = await untilEnded(tree, { agent, mark, ending, tools });
    clocks.stop();
    tree.stdin?.destroy();
    await courier.close();
    const streams = await shipper.finish({
      complete: byItself,
      // A worker that must stop can't wait for an unresponsive object store. What was shipped live is stored.
      ...(isReleasingJob(ending) && { signal: AbortSignal.timeout(DRAIN_TIMEOUT_MS) }),
    });
    // Other attempts wait for the renewed login. Nothing waits for the files.
    await login?.close();
    const releasing = isReleasingJob(ending);
    redaction.add(login?.secrets ?? []);
    // Another attempt has begun without what a lost one saves now.
    const saved = saving.finish(ending.reason === 'lost' ? 0 : releasing ? DRAIN_TIMEOUT_MS : undefined);
    const git = { env: context.env, mark, attemptDir, ending: undefined, account, redaction };
    const { changes, warnings } = releasing ? NO_CHANGES : await changesOf(git, worktree, files, job);
    const limit = releasing ? DRAIN_TIMEOUT_MS : KEEP_FILES_TIMEOUT_MS;
    const isContinued = prepared.resumed?.attempt !== undefined;
    const kept = await keepAttemptFiles(context, job, { files, redaction, limit, isContinued });
    reader.end();
    const requested = followUps.found();
    const facts = agent.conclude(reader.facts(), { ...exit, stderrTail: stderrTail.toString() });
    const ended = attemptOutcome({
      ending: byItself ? undefined : ending.reason,
      exit,
      facts,
      asked: tools?.isAsking() === true,
      timeout: timeoutText(job.timeout ?? 0, context.env.PROMPTQ_TIMEOUT_UNIT),
    });
    const ownOutcome = unlessRefused(ended, prepared.resumed, facts);
    const used = facts.model ?? model;
    const sessionWarnings = await saved;
    const record: AttemptRecord = {
      outcome: (await login?.reviseOutcome(ownOutcome)) ?? ownOutcome,
      agent: profile.agent,
      drive: command.drive.name,
      granted: { sandbox: profile.sandbox, secrets: secretNames(profile) },
      streams,
      composed_prompt: prompt,
      ...(used !== undefined && { model: used }),
      ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
      ...saving.usage(facts.usage),
      ...(prepared.resumed?.attempt !== undefined && {
        resumed_from: prepared.resumed.attempt,
        chain: [...prepared.resumed.chain],
      }),
      ...(courier.seen.length > 0 && { messages: [...courier.seen] }),
      ...(facts.finalMessage !== undefined && { final_message: facts.finalMessage }),
      ...(requested !== undefined && { follow_ups: requested }),
      ...(changes !== undefined && { changes }),
      ...recordOf({ ...kept, warnings: [...prepared.warnings, ...warnings, ...kept.warnings, ...sessionWarnings] }),
    };
    const sources: OutputSources = { stdout: shipper.source('stdout'), stderr: shipper.source('stderr') };
    return { record, sources, attachments: kept.attachments, dispose: () => shipped.dispose() };
  } catch (error) {
    await tools?.close();
    if (tree !== undefined) await endTree({ child: tree, mark, politeSignal: agent.politeSignal, kill: true });
    tree?.stdin?.destroy();
    if (shipper === undefined) for (const pipe of [tree?.stdout, tree?.stderr]) pipe?.destroy();
    session?.dispose();
    await shipper?.dispose();
    throw error;
  } finally {
    clocks.stop();
  }
}

/** How long (ms) a worker that is stopping, or has lost the job, tries to join the output. */
const DRAIN_TIMEOUT_MS = 10_000;

/** Whether the worker releases the job instead of ending it. */
export function isReleasingJob({ reason }: Pick<Ending, 'reason'>): boolean {
  return reason === 'stopping' || reason === 'lost';
}

/** The stores that an attempt reads first: what the claim has read is not read again. */
function readBefore(
  { profiles, projectSettings, reads }: AttemptContext,
  job: Job,
): Pick<AttemptContext, 'profiles' | 'projectSettings'> {
  if (reads !== undefined)
    return {
      profiles: claimedProfile({ profiles }, job, reads),
      projectSettings: claimedSettings({ projectSettings }, job, reads),
    };
  let profile: Promise<Profile | undefined> | undefined;
  return { profiles: { get: (name) => (profile ??= profiles.get(name)) }, projectSettings };
}

/** Copies the login for an agent that uses the linked account. @throws AccountRequiredError if none is linked */
async function loginOf(
  { env, credentials, profiles, log, account }: AttemptContext & { readonly log: Logger },
  job: Job,
  attemptDir: string,
): Promise<AttemptLogin | undefined> {
  const profile = await profiles.get(job.profile);
  if (credentials === undefined || profile === undefined || !usesLogin(env, profile)) return undefined;
  return await AttemptLogin.copyInto(attemptDir, credentials, {
    account,
    onFailure: (error) => log.warn('a renewed login was not written back; trying again', error as Error),
  });
}

/** How long (ms) to try to store an attempt's files. */
const KEEP_FILES_TIMEOUT_MS = 3_600_000;
