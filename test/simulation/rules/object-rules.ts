import { joinedKey, liveChunkOffset } from '../../../lib/jobs/output/output-keys.ts';
import type { ModelObjects } from '../model/objects.ts';

/** A write to the object store; `after` undefined: the object was deleted. */
export interface ObjectWrite {
  readonly key: string;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

/** What is wrong with a write to the object store: output and receipts are never lost or changed; undefined: nothing. */
export function faultOfObject(
  objects: ModelObjects,
  { key, before, after }: ObjectWrite,
  isOutputDeleted: (jobId: string, attempt: number) => boolean,
): string | undefined {
  const { job = '', attempt = '' } = /^jobs\/(?<job>[^/]+)\/attempts\/(?<attempt>\d+)\//.exec(key)?.groups ?? {};
  if (job !== '' && isOutputDeleted(job, Number(attempt))) return undefined;
  if (key.endsWith('/receipt.json')) return faultOfReceipt(before, after);
  const chunk = /^jobs\/(?<job>[^/]+)\/attempts\/(?<attempt>\d+)\/stdout\/\d+$/.exec(key)?.groups;
  if (after === undefined) {
    if (chunk === undefined) return 'something else than a live chunk was deleted';
    const joined = objects.get(joinedKey(chunk.job ?? '', Number(chunk.attempt), 'stdout'));
    const end = liveChunkOffset(key) + (before?.length ?? 0);
    return joined === undefined || joined.length < end ? 'output was deleted before it was joined' : undefined;
  }
  return before !== undefined && !before.equals(after) ? 'output that was kept was changed' : undefined;
}

/** The same of the objects of exports: whatever is stored under a key stays as it is until it is deleted. */
export function faultOfExportObject(before: Buffer | undefined, after: Buffer | undefined): string | undefined {
  if (before === undefined || after === undefined || before.equals(after)) return undefined;
  return 'a part or file of an export was replaced';
}

function faultOfReceipt(before: Buffer | undefined, after: Buffer | undefined): string | undefined {
  if (after === undefined) return 'a receipt was deleted';
  const [was, is] = [before, after].map(outcomeOf);
  return was !== undefined && was !== is ? `a receipt said ${was} and now says ${is}` : undefined;
}

function outcomeOf(receipt: Buffer | undefined): string | undefined {
  if (receipt === undefined) return undefined;
  const { worker_id, outcome } = JSON.parse(receipt.toString()) as { worker_id: string; outcome: { kind: string } };
  return `${outcome.kind} of ${worker_id}`;
}
