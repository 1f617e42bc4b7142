import { isKnown } from '../../contract/later-code.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { isOutputDeleted } from '../../jobs/lifecycle/deleted-output.ts';
import { createCompared, type OutputState, recordedStreams } from '../../jobs/output/compared-output.ts';
import { OutputStore } from '../../jobs/output/output-store.ts';
import { readableReceipt } from '../../jobs/output/readable-receipt.ts';
import { DOCUMENTS, STREAMS } from '../../jobs/receipts/receipt.ts';
import { JobIndex, type Summary } from '../../jobs/store/job-index.ts';
import { JobStore } from '../../jobs/store/job-store.ts';
import type { OperatorRegistry } from '../../local/operator/operator-registry.ts';
import { objectClient, type TableClient } from '../../platform/aws/clients.ts';
import type { TriggerEnv } from '../../platform/config/function-env.ts';
import { counted, type Finding, ok, warning } from '../finding.ts';

/** Checks the newest finished jobs, among this many of the newest jobs. */
const NEWEST = { finished: 50, listed: 500 } as const;

/** Jobs checked in parallel: each takes about five requests. */
const CONCURRENCY = 10;

/** Maximum number of jobs named in a finding. */
const MAX_NAMED = 5;

const ADVICE =
  'GET /jobs/{id}/result says what is left. Restore the objects from a backup if there is one; `POST /jobs/{id}/reread-logs` notes the loss on the job.';

/** The inputs of the check. */
export interface CheckedOutput {
  readonly index: Pick<JobIndex, 'page'>;
  readonly jobs: Pick<JobStore, 'get'>;
  readonly output: OutputStore;
}

export function outputOf(registry: OperatorRegistry & TableClient, env: TriggerEnv): CheckedOutput {
  const tables = { ...registry, jobsTable: env.JOBS_TABLE };
  const objects = objectClient({ pathStyle: env.PROMPTQ_S3_PATH_STYLE });
  return {
    index: new JobIndex(tables),
    jobs: new JobStore(registry.table, env.JOBS_TABLE),
    output: new OutputStore(objects, env.OUTPUT_BUCKET),
  };
}

/** Compares the records of the newest finished jobs with the lengths of their stored output. Reads no output. */
export async function checkOutput(context: CheckedOutput): Promise<Finding> {
  const { items } = await context.index.page({ status: undefined, limit: NEWEST.listed, offset: 0, cursor: undefined });
  const finished = items.filter(({ status, attempt }) => isTerminal(status) && attempt > 0).slice(0, NEWEST.finished);
  const damaged: string[] = [];
  for (let at = 0; at < finished.length; at += CONCURRENCY) {
    const batch = finished.slice(at, at + CONCURRENCY);
    const losses = await Promise.all(batch.map(async (summary) => await lossesOf(context, summary)));
    for (const [index, found] of losses.entries())
      if (found.length > 0) damaged.push(`${batch[index]?.id} (${found.join(', ')})`);
  }
  const checked = `${counted(finished.length, 'newest finished job')} checked`;
  if (damaged.length === 0) return ok('output', `${checked}: as long as recorded`);
  const named = damaged.slice(0, MAX_NAMED).join('; ') + (damaged.length > MAX_NAMED ? '; …' : '');
  return warning('output', `${checked}: ${damaged.length} with losses: ${named}`, ADVICE);
}

async function lossesOf({ jobs, output }: CheckedOutput, { id }: Pick<Summary, 'id'>): Promise<string[]> {
  const job = await jobs.get(id, { consistent: false });
  if (job === undefined || !isTerminal(job.status) || isOutputDeleted(job, job.attempt)) return [];
  const { attempt } = job;
  const { receipt, state: receiptState } = await readableReceipt(output, id, attempt);
  // A lost worker wrote no receipt, and recorded no lengths.
  const isRecorded = job.stdout_bytes !== undefined && job.reason !== 'worker_lost';
  const recorded = recordedStreams(job, attempt, receipt);
  const streams = await Promise.all(
    STREAMS.map(async (stream) => {
      const source = await createCompared(output, { jobId: id, attempt, stream }, recorded[stream]);
      return [stream, source.state()] as const;
    }),
  );
  const documents = await Promise.all(
    (receipt?.documents ?? [])
      .filter((name) => isKnown(DOCUMENTS, name))
      .map(
        async (document): Promise<readonly [string, OutputState]> => [
          `document ${document}`,
          (await output.hasDocument(id, attempt, document)) ? 'complete' : 'missing',
        ],
      ),
  );
  const states: (readonly [string, OutputState | undefined])[] = [
    ['record', receiptState === 'missing' && !isRecorded ? undefined : receiptState],
    ...streams,
    ...documents,
  ];
  return states.flatMap(([what, state]) => (state === undefined || state === 'complete' ? [] : [`${what} ${state}`]));
}
