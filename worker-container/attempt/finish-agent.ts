import { secretNames } from '../../lib/catalog/profiles.ts';
import { countedFollowUps } from '../../lib/jobs/creation/collect-follow-ups.ts';
import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import { timeoutText } from '../../lib/platform/config/timeout.ts';
import type { AgentFacts } from '../../lib/vendors/output/agent-output.ts';
import type { KeptAttachments } from '../attachments/keep-attachments.ts';
import { Ending, type EndingReason } from '../commands/ending.ts';
import { endTree, survivorsOf, survivorsText, type Tree, type TreeExit } from '../commands/process-tree.ts';
import { deadline, machineTiming } from '../output/timing.ts';
import { changesOf, NO_CHANGES } from '../repository/worktree-changes.ts';
import type { AgentAttempt, AttemptRecord, AttemptRun } from './attempt.ts';
import { keepAttemptFiles, keepFolder, recordOf } from './attempt-files.ts';
import { attemptOutcome, LOST_OUTPUT } from './attempt-outcome.ts';
import { unlessRefused } from './attempt-session.ts';
import type { PreparedAgent } from './prepare-agent.ts';
import type { RunningAgent } from './start-agent.ts';

/** How long (ms) a worker that is stopping, or has lost the job, tries to join the output, and then to store the rest. */
export const DRAIN_TIMEOUT_MS = 10_000;

/** How long (ms) to try to store an attempt's files. */
const KEEP_FILES_TIMEOUT_MS = 3_600_000;
/** How long (ms) a stopping worker tries that at least. */
const MIN_KEEP_FILES_MS = 1_000;

/** Milliseconds of SIGKILL for what git leaves, beside processes that are known to survive it. */
const KNOWN_SURVIVORS_TIMEOUT_MS = 1_000;

/**
 * Waits until no process of the agent is alive, except those that can't be ended, and stores its output, session, changes
 * and files.
 */
export async function finishAgent(
  attempt: AgentAttempt,
  prepared: PreparedAgent,
  running: RunningAgent,
): Promise<AttemptRun> {
  const { worker, job, login, redaction, ending, mark } = attempt;
  const { agent, tools, resumed } = prepared;
  const { tree, courier, session, shipper, reader } = running;
  const { killTimeoutMs, timing = machineTiming } = worker;
  const { exit, byItself, survivors } = await untilEnded(tree, { agent, mark, ending, tools, killTimeoutMs });
  if (survivors.length > 0) worker.onSurvivors?.();
  attempt.clocks.stop();
  tree.stdin?.destroy();
  await courier.close();
  const streams = await shipper.finish({
    complete: byItself,
    // A worker that must stop can't wait for an unresponsive object store. What was shipped live is stored.
    signal: deadline(timing, DRAIN_TIMEOUT_MS, ending.releasing),
  });
  // Other attempts wait for the renewed login. Nothing waits for the files.
  await login?.close();
  redaction.add(login?.secrets ?? []);
  const { kept, changes, warnings } = await storeRest(attempt, prepared, session, { byItself, survivors });
  reader.end();
  const facts = agent.conclude(reader.facts(), { ...exit, stderrTail: running.stderrTail() });
  const fault = running.outputFault();
  const ended = attemptOutcome({
    ending: unlessOutputLost(byItself ? undefined : ending.reason, fault),
    exit,
    facts,
    asked: tools?.isAsking() === true,
    timeout: timeoutText(job.timeout ?? 0, worker.env.PROMPTQ_TIMEOUT_UNIT),
  });
  // Others that lost output have failed with it.
  const lost = fault === undefined || ended.kind === 'failed' ? [] : [`output: ${LOST_OUTPUT[fault]}`];
  const usage = session.usage(facts.usage);
  const ownOutcome = unlessRefused(ended, resumed, { facts, used: usage.usage });
  const { counted, ignored } = countedFollowUps(prepared.profile, running.followUps, facts.finalMessage);
  const record: AttemptRecord = {
    outcome: await revised(attempt, ownOutcome),
    ...recordOfAgent(prepared, running, facts),
    ...usage,
    ...(counted !== undefined && { follow_ups: counted }),
    streams,
    ...(changes !== undefined && { changes }),
    ...recordOf({
      ...kept,
      warnings: [
        ...prepared.warnings,
        ...warningsOf(survivors),
        ...helpersCut(facts, ended),
        ...lost,
        ...ignoredBy(ended, ignored),
        ...warnings,
      ],
    }),
  };
  const sources = { stdout: shipper.source('stdout'), stderr: shipper.source('stderr') };
  return { record, sources, attachments: kept.attachments, dispose: () => shipper.dispose() };
}

/**
 * Stores the session, the changes and the files of an agent that has ended. They share the time that a worker has left
 * which must stop, or is stopped meanwhile.
 */
async function storeRest(
  attempt: AgentAttempt,
  prepared: PreparedAgent,
  session: RunningAgent['session'],
  { byItself, survivors }: Pick<AgentEnd, 'byItself' | 'survivors'>,
): Promise<Pick<AttemptRecord, 'changes'> & { readonly kept: KeptAttachments; readonly warnings: readonly string[] }> {
  const { worker, job, files, redaction, ending, mark, folder: attemptDir } = attempt;
  const { env, account, onSurvivors, timing = machineTiming } = worker;
  const { resumed, worktree } = prepared;
  const drained = deadline(timing, DRAIN_TIMEOUT_MS, ending.releasing);
  drained.addEventListener('abort', () => session.dispose(), { once: true });
  // Another attempt has begun without what a lost one saves now.
  const saved = session.finish(ending.reason === 'lost' ? 0 : undefined);
  const late = endingOn(deadline(timing, DRAIN_TIMEOUT_MS / 2, ending.releasing));
  const killTimeoutMs = survivors.length > 0 ? KNOWN_SURVIVORS_TIMEOUT_MS : worker.killTimeoutMs;
  const git = { env, mark, attemptDir, ending: late, account, redaction, onSurvivors, killTimeoutMs };
  // Under an account, each call of git ends with the end of everything that runs there, readers of the session included.
  const isCut = ending.reason === 'lost' || (ending.reason === 'stopping' && !byItself);
  const changed = isCut ? NO_CHANGES : saved.then(() => changesOf(git, worktree, files, job));
  const { changes, paths, warnings } = await changed;
  const signal = drained.aborted
    ? AbortSignal.timeout(MIN_KEEP_FILES_MS)
    : AbortSignal.any([drained, AbortSignal.timeout(KEEP_FILES_TIMEOUT_MS)]);
  const isContinued = resumed?.attempt !== undefined;
  const [kept, unkept] = await Promise.all([
    keepAttemptFiles(attempt, signal, { isContinued }),
    isCut ? [] : keepFolder(attempt, prepared, { changed: paths, signal }),
  ]);
  return {
    ...(changes !== undefined && { changes }),
    kept,
    warnings: [...warnings, ...kept.warnings, ...unkept, ...(await saved)],
  };
}

/** An attempt that has run keeps its own outcome if the accounts can't be read. */
async function revised({ worker, login }: AgentAttempt, outcome: Outcome): Promise<Outcome> {
  if (login === undefined) return outcome;
  return await login.reviseOutcome(outcome).catch((error: Error) => {
    worker.log.warn('not known whether the login was renewed meanwhile', error);
    return outcome;
  });
}

/** No agent has succeeded whose output was not kept, even if it had ended by then. */
function unlessOutputLost(ending: EndingReason | undefined, fault: EndingReason | undefined): EndingReason | undefined {
  return ending === undefined || ending === 'finished_not_exited' ? (fault ?? ending) : ending;
}

/** Ends the calls of git that a stopping worker can't wait for. */
function endingOn(late: AbortSignal): Ending {
  const ending = new Ending();
  late.addEventListener('abort', () => ending.request('stopping'), { once: true });
  return ending;
}

function warningsOf(survivors: readonly number[]): string[] {
  return survivors.length === 0 ? [] : [`processes: ${survivorsText(survivors)}`];
}

/** A job that ends without the end of what its agent has started. One that continues has them in its session. */
function helpersCut({ helpers = 0 }: AgentFacts, { kind }: Outcome): string[] {
  if (helpers === 0 || (kind !== 'succeeded' && kind !== 'failed')) return [];
  const which = helpers === 1 ? '1 agent' : `${helpers} agents`;
  return [`agents: ${which} that the agent had started had not ended: their work may be half done`];
}

/** Only the blocks of a success would have become jobs. */
function ignoredBy({ kind }: Outcome, warning: string | undefined): string[] {
  return kind === 'succeeded' && warning !== undefined ? [warning] : [];
}

/** The members of a receipt that tell how the agent ran and what it reported. */
function recordOfAgent(
  prepared: PreparedAgent,
  { courier }: RunningAgent,
  facts: AgentFacts,
): Omit<AttemptRecord, 'outcome' | 'streams'> {
  const { profile, command, prompt, resumed } = prepared;
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
  };
}

/** How an agent ended. */
interface AgentEnd {
  /** Both members are null if the agent itself survived. */
  readonly exit: TreeExit;
  readonly byItself: boolean;
  /** The processes of its tree that could not be ended. */
  readonly survivors: readonly number[];
}

/** Resolves when the agent has ended and no process of its tree is alive, except for those that survive SIGKILL. */
async function untilEnded(
  tree: Tree,
  {
    agent,
    mark,
    ending,
    tools,
    killTimeoutMs,
  }: {
    readonly agent: { readonly politeSignal: 'SIGINT' | 'SIGTERM' };
    readonly mark: string;
    readonly ending: Ending;
    readonly tools: { close(): Promise<unknown> } | undefined;
    /** Default: a minute. */
    readonly killTimeoutMs?: number | undefined;
  },
): Promise<AgentEnd> {
  const { politeSignal } = agent;
  const byItself = await Promise.race([tree.exited.then(() => true), ending.requested.then(() => false)]);
  // Nothing is done in the name of an attempt that is being ended.
  await tools?.close();
  // Processes left behind by an agent that exited unasked belong to no one: they are killed without a polite signal.
  const how = { child: tree, mark, politeSignal, killTimeoutMs };
  const ended = endTree({ ...how, kill: byItself || ending.reason === 'killed' });
  const hurry = ending.escalated.then(() => endTree({ ...how, kill: true }));
  const survivors = await survivorsOf(Promise.race([ended, hurry]));
  const exit = survivors.includes(tree.pid) ? { exitCode: null, signal: null } : await tree.exited;
  return { exit, byItself, survivors };
}
