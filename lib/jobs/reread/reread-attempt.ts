import { isDeepStrictEqual } from 'node:util';
import type { Profile } from '../../catalog/profiles.ts';
import { AGENTS, type AgentName } from '../../contract/agents.ts';
import { isKnown, type LaterCode } from '../../contract/later-code.ts';
import { MASK } from '../../contract/mask.ts';
import { type AgentFacts, STDERR_TAIL_BYTES } from '../../vendors/output/agent-output.ts';
import { AGENT_OUTPUTS } from '../../vendors/outputs.ts';
import { collectFollowUps, countedFollowUps } from '../creation/collect-follow-ups.ts';
import { createCompared, type OutputState } from '../output/compared-output.ts';
import type { OutputStore } from '../output/output-store.ts';
import { readableReceipt } from '../output/readable-receipt.ts';
import { StreamTally } from '../output/stream-tally.ts';
import type { FollowUpBlocks } from '../receipts/follow-up-blocks.ts';
import type { Outcome, Receipt, StreamManifest, StreamName } from '../receipts/receipt.ts';

/** The results of rereading an attempt's persisted output. */
export interface RereadAttempt {
  /** The receipt as corrected; undefined if no readable one exists. */
  readonly receipt: Receipt | undefined;
  /** `complete` if a readable receipt exists. */
  readonly receiptState: OutputState;
  /** Members of the receipt that were wrong and have been corrected in S3. */
  readonly changed: readonly string[];
  readonly streams: Receipt['streams'];
  readonly facts: AgentFacts;
}

type Agent = AgentName | LaterCode;

/**
 * Rereads all persisted output of an attempt that has ended, in constant memory and with the readers used while it ran,
 * and corrects its receipt. Known values are replaced only by values that were read: what can no longer be read is
 * kept.
 * @param agent the agent that wrote the output, if the receipt doesn't record it
 * @param followUps the setting of the job's profile
 */
export async function rereadAttempt(
  output: OutputStore,
  at: { readonly jobId: string; readonly attempt: number },
  agent: Agent | undefined,
  followUps?: Profile['follow_ups'],
): Promise<RereadAttempt> {
  const { receipt, state: receiptState } = await readableReceipt(output, at.jobId, at.attempt);
  const found = await readOutput(output, at, receipt?.agent ?? agent, receipt?.outcome, followUps);
  if (receipt === undefined) return { ...found, receipt, receiptState, changed: [] };
  const mended = mend(receipt, found);
  const changed = Object.entries(mended).flatMap(([name, value]) =>
    isDeepStrictEqual(value, Reflect.get(receipt, name)) ? [] : [name],
  );
  if (changed.length > 0) await output.putReceipt(mended);
  return { ...found, receipt: mended, receiptState, changed };
}

interface Found {
  readonly streams: Receipt['streams'];
  readonly facts: AgentFacts;
  readonly asked: FollowUpBlocks | undefined;
  /** Something in it is masked, which may be a word of the agent's events. */
  readonly isMasked: boolean;
}

async function readOutput(
  output: OutputStore,
  { jobId, attempt }: { readonly jobId: string; readonly attempt: number },
  agent: Agent | undefined,
  outcome: Outcome | undefined,
  setting: Profile['follow_ups'],
): Promise<Found> {
  const name = agent !== undefined && isKnown(AGENTS, agent) ? agent : undefined;
  const known = name && AGENT_OUTPUTS[name];
  const followUps = collectFollowUps();
  const reader = known?.createReader(followUps.messages);
  const stdout = new StreamTally();
  const open = async (stream: StreamName) => await createCompared(output, { jobId, attempt, stream }, undefined);
  const [stdoutSource, stderrSource] = await Promise.all([open('stdout'), open('stderr')]);
  let isMasked = false;
  let before: Buffer = Buffer.alloc(0);
  for await (const chunk of stdoutSource.read()) {
    stdout.add(chunk);
    reader?.push(chunk);
    isMasked ||= chunk.includes(MASK) || Buffer.concat([before, chunk.subarray(0, MASK.length)]).includes(MASK);
    before = chunk.subarray(1 - MASK.length);
  }
  reader?.end();
  const stderr = new StreamTally();
  let tail = Buffer.alloc(0);
  for await (const chunk of stderrSource.read()) {
    stderr.add(chunk);
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES);
  }
  const read = reader?.facts() ?? { finished: false };
  const exit = {
    exitCode: outcome?.exit_code ?? null,
    signal: outcome?.signal ?? null,
    stderrTail: tail.toString(),
  };
  const facts = known?.conclude(read, exit) ?? read;
  return {
    // Without a record to compare with, a stream has a state only if it is truncated.
    streams: {
      stdout: stdout.manifest(stdoutSource.state() === undefined),
      stderr: stderr.manifest(stderrSource.state() === undefined),
    },
    facts,
    asked: name && countedFollowUps({ name, agent: name, follow_ups: setting }, followUps, facts.finalMessage).counted,
    isMasked,
  };
}

function mend(receipt: Receipt, { streams, facts, asked, isMasked }: Found): Receipt {
  const { outcome } = receipt;
  const known = receipt.streams;
  const damages = [
    ...damageOf('stdout', streams.stdout, known.stdout),
    ...damageOf('stderr', streams.stderr, known.stderr),
  ];
  const comparedStreams = {
    stdout: compared(streams.stdout, known.stdout),
    stderr: compared(streams.stderr, known.stderr),
  };
  // Damaged output does not disprove what was read while it was intact.
  if (damages.length > 0)
    return {
      ...receipt,
      streams: comparedStreams,
      warnings: [...new Set([...damages, ...(receipt.warnings ?? [])])],
    };
  const isAgentsError = outcome.reason === 'agent_error' && facts.error !== undefined;
  const follow_ups = asked ?? receipt.follow_ups;
  const read = {
    outcome: isAgentsError ? { ...outcome, error: facts.error } : outcome,
    ...(facts.sessionId !== undefined && { session_id: facts.sessionId }),
    ...(facts.model !== undefined && { model: facts.model }),
    ...(facts.usage !== undefined && receipt.usage_from === undefined && { usage: facts.usage }),
    ...(facts.finalMessage !== undefined && { final_message: facts.finalMessage }),
    ...(follow_ups !== undefined && { follow_ups }),
  };
  // The worker has read the output before it was masked.
  return { ...(isMasked ? { ...read, ...receipt } : { ...receipt, ...read }), streams: comparedStreams };
}

/** Describes in one sentence how a stream differs from its record. */
function damageOf(stream: StreamName, read: StreamManifest, known: StreamManifest): string[] {
  if (!isDamaged(read, known)) return [];
  if (read.bytes >= known.bytes) return [`${stream}: the kept output is not what was recorded: its hash differs`];
  return [`${stream}: ${read.bytes} of ${known.bytes} recorded bytes are kept`];
}

/** Without a hash, more bytes than recorded are no damage: the record may be older than the output. */
function isDamaged(read: StreamManifest, known: StreamManifest): boolean {
  if (known.sha256 === '') return read.bytes < known.bytes;
  return read.sha256 !== known.sha256;
}

/** Damaged output keeps its recorded length and hash as evidence. Only the worker knew whether it was complete. */
function compared(read: StreamManifest, known: StreamManifest): StreamManifest {
  return isDamaged(read, known) ? { ...known, complete: false } : { ...read, complete: known.complete };
}
