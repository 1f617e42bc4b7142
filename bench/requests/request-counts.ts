import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { sum, type Usage } from './meter.ts';

/** What one step uses: request units of DynamoDB, requests of SQS and S3. */
const stepSchema = z.strictObject({
  writes: z.number(),
  reads: z.number(),
  sqs: z.number(),
  s3Puts: z.number(),
  s3Gets: z.number(),
});
export type Step = z.output<typeof stepSchema>;

/** Steps of a job's life, and of the service's own. */
const STEPS = [
  'create',
  'status',
  'result',
  'claim',
  'run',
  'count',
  'heartbeat',
  'look',
  'register',
  'idleMinute',
] as const;
type StepName = (typeof STEPS)[number];

const countsSchema = z.strictObject(
  Object.fromEntries(STEPS.map((name) => [name, stepSchema])) as Record<StepName, typeof stepSchema>,
);
export type RequestCounts = z.output<typeof countsSchema>;

/** Where the counts of the last run of `npm run bench -- requests` stand. */
export const COUNTS_FILE = new URL('request-counts.json', import.meta.url);

export function readCounts(): RequestCounts {
  return countsSchema.parse(JSON.parse(readFileSync(COUNTS_FILE, 'utf8')));
}

/** S3 charges these as it does a PUT; deletes are free. */
const PUTS = /^(Put|Copy|List|Create|UploadPart|CompleteMultipart)/;
const FREE = /^(Delete|Abort)/;

/** What was used, by what it is charged as. */
export function stepOf(usage: Usage): Step {
  const s3 = [...usage.s3].filter(([command]) => !FREE.test(command));
  const count = (isPut: boolean) =>
    s3.filter(([command]) => PUTS.test(command) === isPut).reduce((total, [, amount]) => total + amount, 0);
  return {
    writes: sum(usage.writes),
    reads: sum(usage.reads),
    sqs: sum(usage.sqs),
    s3Puts: count(true),
    s3Gets: count(false),
  };
}
