import type { Logger } from '@aws-lambda-powertools/logger';
import { secretNames } from '../../lib/catalog/profiles.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import { timeoutText } from '../../lib/platform/config/timeout.ts';
import type { AgentFacts } from '../../lib/vendors/output/agent-output.ts';
import type { AttemptLogin } from '../account/attempt-login.ts';
import { Ending, type EndingReason, isReleasingJob } from '../commands/ending.ts';
import { survivorsText } from '../commands/process-tree.ts';
import { untilEnded } from '../commands/until-ended.ts';
import { changesOf, NO_CHANGES } from '../repository/worktree-changes.ts';
import type { AttemptContext, AttemptRecord, AttemptRun } from './attempt-context.ts';
import { keepAttemptFiles, recordOf } from './attempt-files.ts';
import { attemptOutcome, LOST_OUTPUT } from './attempt-outcome.ts';
import { unlessRefused } from './attempt-session.ts';
import type { PreparedAttempt } from './prepare-attempt.ts';
import type { AgentSurroundings, RunningAgent } from './start-agent.ts';

/** How long (ms) a worker that is stopping, or has lost the job, tries to join the output. */
export const DRAIN_TIMEOUT_MS = 10_000;

/** How long (ms) to try to store an attempt's files. */
const KEEP_FILES_TIMEOUT_MS = 3_600_000;

/** Milliseconds of SIGKILL for what git leaves, beside processes that are known to survive it. */
const KNOWN_SURVIVORS_TIMEOUT_MS = 1_000;

/** What of an attempt is finished. */
interface FinishedParts {
  readonly prepared: PreparedAttempt;
  readonly running: RunningAgent;
  readonly login: AttemptLogin | undefined;
}

/**
 * Waits until no process of the agent is alive, except those that can't be ended, and stores its output, session, changes
 * and files.
 */
export async function finishAgent(
  context: AttemptContext & { readonly log: Logger },
  job: Job,
  { prepared, running, login }: FinishedParts,
  at: AgentSurroundings,
): Promise<AttemptRun> {
  const { agent, tools, resumed, worktree } = prepared;
  const { tree, courier, session, shipper, reader } = running;
  const { files, redaction, ending, mark, attemptDir } = at;
  const { killTimeoutMs } = context;
  const { exit, byItself, survivors } = await untilEnded(tree, { agent, mark, ending, tools, killTimeoutMs });
  if (survivors.length > 0) context.onSurvivors?.();
  at.clocks.stop();
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
  const drainedAt = performance.now() + DRAIN_TIMEOUT_MS;
  // Another attempt has begun without what a lost one saves now.
  const saved = session.finish(ending.reason === 'lost' ? 0 : releasing ? DRAIN_TIMEOUT_MS : undefined);
  const late = releasing ? endingAfter(DRAIN_TIMEOUT_MS / 2) : undefined;
  const git = {
    ...{ env: context.env, mark, attemptDir, ending: late, account: context.account, redaction },
    onSurvivors: context.onSurvivors,
    killTimeoutMs: survivors.length > 0 ? KNOWN_SURVIVORS_TIMEOUT_MS : killTimeoutMs,
  };
  // Under an account, each call of git ends with the end of everything that runs there, readers of the session included.
  const isCut = ending.reason === 'lost' || (releasing && !byItself);
  const changed = isCut ? NO_CHANGES : saved.then(() => changesOf(git, worktree, files, job));
  const { changes, warnings } = await changed;
  // Session, changes and files share the time that a stopping worker has left.
  const limit = releasing ? Math.max(Math.ceil(drainedAt - performance.now()), 1_000) : KEEP_FILES_TIMEOUT_MS;
  const isContinued = resumed?.attempt !== undefined;
  const kept = await keepAttemptFiles(context, job, { files, redaction, limit, isContinued });
  reader.end();
  const facts = agent.conclude(reader.facts(), { ...exit, stderrTail: running.stderrTail() });
  const fault = running.outputFault();
  const ended = attemptOutcome({
    ending: unlessOutputLost(byItself ? undefined : ending.reason, fault),
    exit,
    facts,
    asked: tools?.isAsking() === true,
    timeout: timeoutText(job.timeout ?? 0, context.env.PROMPTQ_TIMEOUT_UNIT),
  });
  // Others that lost output have failed with it.
  const lost = fault === undefined || ended.kind === 'failed' ? [] : [`output: ${LOST_OUTPUT[fault]}`];
  const sessionWarnings = await saved;
  const usage = session.usage(facts.usage);
  const ownOutcome = unlessRefused(ended, resumed, { facts, used: usage.usage });
  const record: AttemptRecord = {
    outcome: await revised(context, login, ownOutcome),
    ...recordOfAgent({ prepared, running }, facts),
    ...usage,
    streams,
    ...(changes !== undefined && { changes }),
    ...recordOf({
      ...kept,
      warnings: [
        ...prepared.warnings,
        ...warningsOf(survivors),
        ...lost,
        ...warnings,
        ...kept.warnings,
        ...sessionWarnings,
      ],
    }),
  };
  const sources = { stdout: shipper.source('stdout'), stderr: shipper.source('stderr') };
  return { record, sources, attachments: kept.attachments, dispose: () => shipper.dispose() };
}

/** An attempt that has run keeps its own outcome if the accounts can't be read. */
async function revised(
  { log }: { readonly log: Logger },
  login: AttemptLogin | undefined,
  outcome: Outcome,
): Promise<Outcome> {
  if (login === undefined) return outcome;
  return await login.reviseOutcome(outcome).catch((error: Error) => {
    log.warn('not known whether the login was renewed meanwhile', error);
    return outcome;
  });
}

/** No agent has succeeded whose output was not kept, even if it had ended by then. */
function unlessOutputLost(ending: EndingReason | undefined, fault: EndingReason | undefined): EndingReason | undefined {
  return ending === undefined || ending === 'finished_not_exited' ? (fault ?? ending) : ending;
}

/** Ends the calls of git that a stopping worker can't wait for. */
function endingAfter(milliseconds: number): Ending {
  const ending = new Ending();
  setTimeout(() => ending.request('stopping'), milliseconds).unref();
  return ending;
}

function warningsOf(survivors: readonly number[]): string[] {
  return survivors.length === 0 ? [] : [`processes: ${survivorsText(survivors)}`];
}

/** The members of a receipt that tell how the agent ran and what it reported. */
function recordOfAgent(
  { prepared, running }: Pick<FinishedParts, 'prepared' | 'running'>,
  facts: AgentFacts,
): Omit<AttemptRecord, 'outcome' | 'streams'> {
  const { profile, command, prompt, resumed } = prepared;
  const { courier, followUps } = running;
  const requested = followUps.found();
  const model = facts.model ?? prepared.model;
  return {
    agent: profile.agent,
    drive: command.drive.name,
    granted: { sandbox: profile.sandbox, secrets: secretNames(profile) },
    composed_prompt: prompt,
    ...(model !== undefined && { model }),
    ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
    ...(resumed?.attempt !== undefined && { resumed_from: resumed.attempt, chain: [...resumed.chain] }),
    ...(courier.seen.length > 0 && { messages: [...courier.seen] }),
    ...(facts.finalMessage !== undefined && { final_message: facts.finalMessage }),
    ...(requested !== undefined && { follow_ups: requested }),
  };
}
