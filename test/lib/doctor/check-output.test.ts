import { expect, it } from 'vitest';
import { type CheckedOutput, checkOutput } from '../../../lib/doctor/stores/check-output.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { DamagedReceiptError } from '../../../lib/jobs/output/output-store.ts';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import { aJob, aReceipt } from '../jobs/a-job.ts';

interface Stored {
  readonly job?: Partial<Job> | undefined;
  readonly receipt?: Receipt | Error | undefined;
  /** Bytes of stdout. */
  readonly stored?: number;
  readonly documents?: readonly string[];
}
const SUCCEEDED = { status: 'SUCCEEDED', reason: 'succeeded', attempt: 1 } as const;
const stream = (bytes: number) => ({ bytes, lines: 1, sha256: '', complete: true });
const receiptOf = (bytes: number, more: Partial<Receipt> = {}) =>
  aReceipt(
    { kind: 'succeeded', reason: 'succeeded' },
    { streams: { stdout: stream(bytes), stderr: stream(0) }, ...more },
  );

/** What is found of these jobs, newest first. */
async function look(jobs: readonly Stored[], listed: readonly Partial<Job>[] = jobs.map(() => SUCCEEDED)) {
  const pages: unknown[] = [];
  const read: string[] = [];
  let [at, most] = [0, 0];
  const of = (id: string) => jobs[Number(id.slice(4))] ?? {};
  const context = {
    index: {
      page: async (query: unknown) => {
        pages.push(query);
        return { items: listed.map((item, index) => ({ ...item, id: `job-${index}` })) };
      },
    },
    jobs: {
      get: async (id: string) => {
        read.push(id);
        at += 1;
        most = Math.max(most, at);
        await new Promise(setImmediate);
        at -= 1;
        const { job = {} } = of(id);
        return 'job' in of(id) && of(id).job === undefined ? undefined : aJob({ ...SUCCEEDED, id, ...job });
      },
    },
    output: {
      readReceipt: async (id: string) => {
        const { receipt } = of(id);
        if (receipt instanceof Error) throw receipt;
        return receipt;
      },
      openStream: async (id: string, _attempt: number, name: string) => ({
        size: name === 'stdout' ? (of(id).stored ?? 0) : 0,
      }),
      hasDocument: async (id: string, _attempt: number, name: string) => of(id).documents?.includes(name) ?? false,
    },
  } as unknown as CheckedOutput;
  const { state, message, advice } = await checkOutput(context);
  return { found: `${state}: ${message}`, advice, pages, read, most: () => most };
}
const losses = async (stored: Stored) =>
  (await look([stored])).found.replace(/^.*?1 newest finished job checked: /, '');
const NONE = 'as long as recorded';
const lost = (what: string) => `1 with losses: job-0 (${what})`;

it.each<[string, Stored, string]>([
  ['a whole output', { receipt: receiptOf(3), stored: 3 }, NONE],
  ['a part of a stream', { receipt: receiptOf(3), stored: 2 }, lost('stdout truncated')],
  ['no stream', { receipt: receiptOf(3) }, lost('stdout missing')],
  ['a damaged record', { receipt: new DamagedReceiptError('x') }, lost('record corrupt')],
  ['neither a record nor lengths', {}, NONE],
  ['lengths without a record', { job: { stdout_bytes: 3 }, stored: 3 }, lost('record missing')],
  ['lengths of a lost worker', { job: { stdout_bytes: 3, reason: 'worker_lost' }, stored: 3 }, NONE],
  ['all documents', { receipt: receiptOf(0, { documents: ['result'] }), documents: ['result'] }, NONE],
  ['no document', { receipt: receiptOf(0, { documents: ['result'] }) }, lost('document result missing')],
  ['a document of a later version', { receipt: receiptOf(0, { documents: ['later' as never] }) }, NONE],
  ['a job that is retried', { job: { status: 'QUEUED' }, receipt: receiptOf(3) }, NONE],
  ['a job that is deleted meanwhile', { job: undefined, receipt: receiptOf(3) }, NONE],
])('%s', async (_, stored, expected) => {
  expect(await losses(stored)).toBe(expected);
});
