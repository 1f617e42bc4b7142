import { join } from 'node:path';
import { collectFollowUps } from '../../lib/jobs/creation/collect-follow-ups.ts';
import { type AgentReader, promptedSession, STDERR_TAIL_BYTES } from '../../lib/vendors/output/agent-output.ts';
import { endTree, spawnTree, survivorsOf, survivorsText, type Tree } from '../commands/process-tree.ts';
import { type Drive, startDrive } from '../drives/drive.ts';

import { MessageCourier } from '../messages/message-courier.ts';
import { s3OutputObjects } from '../output/output-objects.ts';
import { OutputShipper } from '../output/output-shipper.ts';
import type { AgentAttempt } from './attempt.ts';
import type { LOST_OUTPUT } from './attempt-outcome.ts';
import { type AttemptSession, saveSession } from './attempt-session.ts';
import type { PreparedAgent } from './prepare-agent.ts';

/** The processes of an attempt's agent, and all that takes in what they write. */
export interface RunningAgent {
  readonly tree: Tree;
  /** Gives the agent further messages while it runs. */
  readonly courier: MessageCourier;
  readonly session: AttemptSession;
  readonly shipper: OutputShipper;
  readonly reader: AgentReader;
  readonly followUps: ReturnType<typeof collectFollowUps>;
  readonly stderrTail: () => string;
  /** Why its output is not complete, whether it had ended by then or not. */
  readonly outputFault: () => OutputFault | undefined;
}

type OutputFault = keyof typeof LOST_OUTPUT;

/**
 * Starts the prepared agent. What it writes is read as it is, stored masked, and counted by the clocks: a secret can be a
 * word of the vendor's events. If that fails, nothing is left.
 */
export async function startAgent(attempt: AgentAttempt, prepared: PreparedAgent): Promise<RunningAgent> {
  const { worker, job, clocks, ending, mark, redaction } = attempt;
  const { watched } = attempt.claim;
  const { agent, command, cwd } = prepared;
  const followUps = collectFollowUps();
  const reader = agent.createReader(followUps.messages);
  let stderrTail = Buffer.alloc(0);
  let outputFault: OutputFault | undefined;
  const endFor = (fault: OutputFault) => {
    outputFault ??= fault;
    ending.request(fault);
  };
  let tree: Tree | undefined;
  let session: AttemptSession | undefined;
  try {
    const isTalking = command.drive.talk !== undefined;
    const { account } = worker;
    tree = await spawnTree({ ...command, ...(isTalking && { stdin: undefined }), cwd, mark, account });
    clocks.onStart(agent.name);
    const { courier, drive } = beginTalk(attempt, prepared, tree);
    const saving = saveSession(attempt, prepared, () => promptedSession(reader.facts()));
    session = saving;
    const shipper = await OutputShipper.start({
      jobId: job.id,
      attempt: job.attempt,
      pipes: tree,
      spoolDir: join(attempt.folder, 'output'),
      outputBytes: worker.env.PROMPTQ_OUTPUT_BYTES,
      objects: s3OutputObjects(worker.objects, worker.env.OUTPUT_BUCKET),
      redaction,
      onData: (stream, chunk) => {
        clocks.onOutput();
        if (stream === 'stderr') stderrTail = Buffer.concat([stderrTail, chunk]).subarray(-STDERR_TAIL_BYTES);
        else {
          drive?.push(chunk);
          reader.push(chunk);
          saving.grown();
          if (promptedSession(reader.facts()) !== undefined) courier.onPromptSeen();
        }
        if (reader.facts().finished) clocks.onFinished();
        else clocks.onUnfinished();
      },
      onLimit: () => endFor('output_limit'),
      onError: (stream, error) => {
        worker.log.error(`${stream} can't be kept`, error as Error);
        endFor('output_failed');
      },
      onFailure: (stream, error) => worker.log.warn(`shipping ${stream} failed; trying again`, error as Error),
    });
    watched.addEventListener('watched', () => shipper.setWatched(true));
    watched.addEventListener('unwatched', () => shipper.setWatched(false));
    const parts = { tree, courier, session, shipper, reader, followUps };
    return { ...parts, stderrTail: () => stderrTail.toString(), outputFault: () => outputFault };
  } catch (error) {
    await abandonAgent(attempt, prepared, { tree, session });
    throw error;
  }
}

/** Begins the conversation with an agent that takes messages while it runs. */
function beginTalk(
  { worker, job, claim: { watched, seen } }: AgentAttempt,
  { command, messages }: PreparedAgent,
  tree: Tree,
): { readonly courier: MessageCourier; readonly drive: Drive | undefined } {
  const courier = new MessageCourier({
    messages: worker.texts.messages,
    now: () => worker.clock.now(),
    job,
    given: messages,
    seen,
    onFailure: (error) => worker.log.warn('a message was not delivered or recorded; trying again', error as Error),
    timing: worker.timing,
  });
  const drive = startDrive(command.drive, tree.stdin, (id) => courier.onSeen(id));
  watched.addEventListener('messages', () => courier.check());
  if (drive !== undefined) courier.open((message) => drive.say(message));
  return { courier, drive };
}

/** Ends what was started for an attempt that can't be completed, and deletes its output here. */
export async function abandonAgent(
  { worker, mark }: AgentAttempt,
  { agent: { politeSignal }, tools }: PreparedAgent,
  { tree, session, shipper }: Partial<RunningAgent>,
): Promise<void> {
  const { log, onSurvivors, killTimeoutMs } = worker;
  await tools?.close();
  try {
    if (tree === undefined) return;
    const survivors = await survivorsOf(endTree({ child: tree, mark, politeSignal, kill: true, killTimeoutMs }));
    if (survivors.length === 0) return;
    log.error(`processes of an abandoned agent: ${survivorsText(survivors)}`);
    onSurvivors?.();
  } finally {
    tree?.stdin?.destroy();
    if (shipper === undefined) for (const pipe of [tree?.stdout, tree?.stderr]) pipe?.destroy();
    session?.dispose();
    await shipper?.dispose();
  }
}
