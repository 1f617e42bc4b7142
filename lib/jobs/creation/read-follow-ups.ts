import { setImmediate } from 'node:timers/promises';
import type { AgentName } from '../../contract/agents.ts';
import { AGENTS } from '../../contract/agents.ts';
import { isKnown } from '../../contract/later-code.ts';
import { AGENT_OUTPUTS } from '../../vendors/outputs.ts';
import type { Job } from '../lifecycle/job.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import type { OutputSource } from '../output/output-source.ts';
import type { FollowUpBlocks } from '../receipts/follow-up-blocks.ts';
import type { Receipt, StreamName } from '../receipts/receipt.ts';
import { blocksIn, type PlacedBlock, readFollowUpBlocks } from './collect-follow-ups.ts';
import type { CreationContext } from './create-job.ts';

/** Opens a persisted stream of an attempt. */
export type OpenStream = (jobId: string, attempt: number, stream: StreamName) => Promise<OutputSource>;

/** A search of output for blocks, which an agent can make long: it decides what it writes. */
export interface BlockSearch {
  readonly openStream: OpenStream;
  /** Asked after each part of the output. */
  readonly isTimeOver: () => boolean;
  /** The search ended early: only `read` bytes of `size` were searched. */
  onCut(searched: { readonly read: number; readonly size: number }): void;
}

/**
 * The blocks of a receipt with their bodies. Bodies that did not fit into the receipt are read from the output.
 * @throws NewerSchemaError if only a later version can read that output
 */
export async function* readBlocks(search: BlockSearch, receipt: Receipt): AsyncGenerator<PlacedBlock> {
  const blocks = receipt.follow_ups?.blocks ?? [];
  const inline = blocks.flatMap(asGiven);
  if (inline.length === blocks.length || receipt.agent === undefined) return yield* inline;
  const { agent } = receipt;
  if (!isKnown(AGENTS, agent))
    throw new NewerSchemaError(`the receipt of attempt ${receipt.attempt} of ${receipt.job_id}`);
  if (AGENT_OUTPUTS[agent].isOneMessage) yield* readScript(search, { jobId: receipt.job_id, attempt: receipt.attempt });
  else yield* blocksIn(receipt.final_message ?? '');
}

/**
 * The blocks of an attempt that was lost, and whose session later ones continued: the last message that is stored. The
 * session may lack its end, which the next attempt then repeated, so a block counts once.
 */
export async function* blocksOfLost(
  search: BlockSearch,
  readReceipt: CreationContext['readReceipt'],
  { id, attempt: newest, agent }: Pick<Job, 'id' | 'attempt' | 'agent'>,
  attempt: number,
): AsyncGenerator<PlacedBlock> {
  const repeated = new Set<string>();
  let isContinued = false;
  let isCut = false;
  const noting: BlockSearch = {
    ...search,
    onCut(searched) {
      isCut = true;
      search.onCut(searched);
    },
  };
  for (let later = attempt + 1; later <= newest; later += 1) {
    const receipt = await readReceipt(id, later);
    if (receipt?.chain?.includes(attempt) !== true) continue;
    isContinued = true;
    for await (const block of readBlocks(noting, receipt)) if ('body' in block) repeated.add(block.body);
  }
  // Without all that the later attempts repeated, a job would be made, and paid, twice.
  if (!isContinued || isCut || agent === undefined || !isKnown(AGENTS, agent)) return;
  const at = { jobId: id, attempt };
  const blocks = AGENT_OUTPUTS[agent].isOneMessage
    ? readScript(search, at)
    : blocksIn((await lastMessage(search, { ...at, agent })) ?? '');
  for await (const block of blocks) if ('body' in block && !repeated.has(block.body)) yield block;
}

/** The blocks in the stored stdout of a script. */
async function* readScript(
  search: BlockSearch,
  at: { readonly jobId: string; readonly attempt: number },
): AsyncGenerator<PlacedBlock> {
  const found: PlacedBlock[] = [];
  const reader = AGENT_OUTPUTS.shell.createReader(readFollowUpBlocks((block) => found.push(block)));
  for await (const chunk of piecesOf(search, at)) {
    reader.push(chunk);
    yield* found.splice(0);
  }
  reader.end();
  yield* found;
}

/** The last message in the stored stdout of an agent; undefined: none, or not all was read. */
async function lastMessage(
  search: BlockSearch,
  { agent, ...at }: { readonly jobId: string; readonly attempt: number; readonly agent: AgentName },
): Promise<string | undefined> {
  const reader = AGENT_OUTPUTS[agent].createReader();
  let isCut = false;
  const noting: BlockSearch = {
    ...search,
    onCut(searched) {
      isCut = true;
      search.onCut(searched);
    },
  };
  for await (const chunk of piecesOf(noting, at)) reader.push(chunk);
  reader.end();
  return isCut ? undefined : reader.facts().finalMessage;
}

/** What is searched at once: of the worst output, a fraction of a second. */
const PIECE_BYTES = 64 * 1024;

/** The stored stdout, until the time is over. */
async function* piecesOf(
  { openStream, isTimeOver, onCut }: BlockSearch,
  { jobId, attempt }: { readonly jobId: string; readonly attempt: number },
): AsyncGenerator<Buffer> {
  const source = await openStream(jobId, attempt, 'stdout');
  let read = 0;
  for await (const chunk of source.read())
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const piece = chunk.subarray(from, from + PIECE_BYTES);
      yield piece;
      read += piece.length;
      // Output that is at hand comes without a pause, and heartbeats of other jobs are due meanwhile.
      await setImmediate();
      if (read < source.size && isTimeOver()) return onCut({ read, size: source.size });
    }
}

function asGiven({ position, body, fault }: FollowUpBlocks['blocks'][number]): PlacedBlock[] {
  if (fault !== undefined) return [{ position, fault }];
  return body === undefined ? [] : [{ position, body }];
}
