import { isKnown } from '../../contract/later-code.ts';
import { AGENTS } from '../../contract/schemas/profile.ts';
import { AGENT_OUTPUTS } from '../../vendors/outputs.ts';
import { NewerSchemaError } from '../lifecycle/newer-schema.ts';
import type { OutputSource } from '../output/output-source.ts';
import type { FollowUpBlocks } from '../receipts/follow-up-blocks.ts';
import type { Receipt, StreamName } from '../receipts/receipt.ts';
import { type PlacedBlock, readFollowUpBlocks } from './collect-follow-ups.ts';

/** Opens a persisted stream of an attempt. */
export type OpenStream = (jobId: string, attempt: number, stream: StreamName) => Promise<OutputSource>;

/**
 * The blocks of a receipt with their bodies. Bodies that did not fit into the receipt are read from the output.
 * @throws NewerSchemaError if only a later version can read that output
 */
export async function* readBlocks(openStream: OpenStream, receipt: Receipt): AsyncGenerator<PlacedBlock> {
  const blocks = receipt.follow_ups?.blocks ?? [];
  const inline = blocks.flatMap(asGiven);
  if (inline.length === blocks.length || receipt.agent === undefined) return yield* inline;
  const { agent } = receipt;
  if (!isKnown(AGENTS, agent))
    throw new NewerSchemaError(`the receipt of attempt ${receipt.attempt} of ${receipt.job_id}`);
  const source = await openStream(receipt.job_id, receipt.attempt, 'stdout');
  const found: PlacedBlock[] = [];
  const reader = AGENT_OUTPUTS[agent].createReader(readFollowUpBlocks((block) => found.push(block)));
  for await (const chunk of source.read()) {
    reader.push(chunk);
    yield* found.splice(0);
  }
  reader.end();
  yield* found;
}

function asGiven({ position, body, fault }: FollowUpBlocks['blocks'][number]): PlacedBlock[] {
  if (fault !== undefined) return [{ position, fault }];
  return body === undefined ? [] : [{ position, body }];
}
