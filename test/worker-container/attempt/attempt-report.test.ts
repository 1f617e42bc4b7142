import type { Logger } from '@aws-lambda-powertools/logger';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { LEASE } from '../../../lib/jobs/lifecycle/lease.ts';
import { NOTHING } from '../../../lib/jobs/output/live-output.ts';
import type { OutputSource } from '../../../lib/jobs/output/output-source.ts';
import type { OutputStore } from '../../../lib/jobs/output/output-store.ts';
import { type Receipt, receiptSchema } from '../../../lib/jobs/receipts/receipt.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { reportAttempt } from '../../../worker-container/attempt/attempt-report.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import type { Timing } from '../../../worker-container/output/timing.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

let deployment: EmulatedDeployment;
let worker: AttemptContext;
beforeAll(async () => {
  deployment = await emulateDeployment();
  ({ worker } = await openWorker(deployment));
});
afterAll(async () => await deployment.stop());

/** A client whose first calls of one kind fail, as they do when all tries of the SDK were in vain. */
function failing<C extends { send: (command: never) => Promise<unknown> }>(client: C, kind: string, times: number) {
  let left = times;
  const send = async (command: never) => {
    if ((command as object).constructor.name === kind && left-- > 0) throw new Error('the service is away');
    return await client.send(command);
  };
  return Object.assign(Object.create(client) as C, { send });
}

/** Pauses end at once, what may last longest never does. */
const impatient: Timing = {
  now: () => performance.now(),
  schedule(run, delay) {
    const waiting = delay < LEASE.duration ? setImmediate(run) : undefined;
    return () => clearImmediate(waiting);
  },
};

/** An attempt of a job, whose worker differs. */
function attemptOf(job: Job, changes: Partial<AttemptContext> = {}) {
  const context = { ...worker, timing: impatient, ...changes };
  return { worker: context, job, startedAt: STARTED_AT, redaction: new Redaction(), ending: new Ending() };
}

const { outcome, composed_prompt, streams, started_at: STARTED_AT } = aReceipt({ kind: 'succeeded', reason: 'exited' });
const SUCCESS = { outcome, composed_prompt, streams };

function logOf(faults: string[]): Logger {
  const ignored = () => undefined;
  return { info: ignored, warn: ignored, error: (text: string) => void faults.push(text) } as unknown as Logger;
}

const bytes = Buffer.alloc(1_000, 'x');
/** Documents are written because of the size that it has, whatever of it can still be read. */
const large = {
  size: LIMITS.streamedBytes + 1,
  async *read(from = 0, to = bytes.length) {
    yield bytes.subarray(from, to);
  },
};

it.each([
  { name: 'late cancel', isStopped: false, shown: 'CANCELLED' },
  { name: 'late cancel and stop', isStopped: true, shown: 'SUCCEEDED' },
])(
  'a document that was written before a cancel came says how the job ended, if there is time ($name)',
  async (given) => {
    const { name, isStopped, shown } = given;
    const id = jobIdOfKey(name);
    const job = await deployment.store(
      aRunningJob({ id, project_id: name, folder: name, lease_until: '2999-01-01T00:00:00.000Z' }),
    );
    const output = Object.assign(Object.create(deployment.output) as OutputStore, {
      // The last moment in which a client can come before the report: its documents are written.
      async putReceipt(receipt: Receipt) {
        await deployment.output.putReceipt(receipt);
        await transition(deployment, job, { type: 'kill' });
        if (isStopped) attempt.ending.request('stopping');
      },
    });
    const faults: string[] = [];
    const attempt = attemptOf(job, { output, log: logOf(faults) });
    const ended = await reportAttempt(attempt, { record: SUCCESS, sources: { stdout: large, stderr: NOTHING } });
    expect(ended).toMatchObject({ status: 'CANCELLED', reason: 'killed_by_request', exit_code: 0 });
    expect(faults).toEqual(isStopped ? ['documents keep an outdated state'] : []);
    const url = await deployment.output.presignDocument(job.id, 1, 'result', 60);
    const { status, state_reason } = (await (await fetch(url)).json()) as Record<string, unknown>;
    expect(status).toBe(shown);
    if (!isStopped) expect(state_reason).toMatchObject({ code: 'killed_by_request' });
  },
);

/** Reports a success with this stdout. @param fails how many of its requests to store something fail at first */
async function reportedWith(name: string, stdout: OutputSource, { fails = 0, stored = {} as Partial<Job> } = {}) {
  const job = aRunningJob({ id: jobIdOfKey(name), project_id: name, folder: name });
  await deployment.store({ ...job, ...stored });
  const written: string[] = [];
  const away = failing(deployment.objects, 'PutObjectCommand', fails);
  const send = async (command: { input: { Key: string } }) => {
    written.push(command.input.Key.split('/').at(-1) ?? '');
    return await away.send(command as never);
  };
  const objects = Object.assign(Object.create(deployment.objects) as typeof deployment.objects, { send });
  const [changed, faults]: [string[], string[]] = [[], []];
  const onChange = (id: string) => void changed.push(id);
  const attempt = attemptOf(job, { objects, log: logOf(faults), onChange });
  const ended = await reportAttempt(attempt, { record: SUCCESS, sources: { stdout, stderr: NOTHING } });
  return { job, ended, written, changed, faults, receipt: await deployment.output.readReceipt(job.id, 1) };
}

it('an output that is too large for an answer is stored as documents, each once, although a try fails', async () => {
  for (const fails of [0, 1]) {
    const { job, ended, written, changed, receipt } = await reportedWith(`large ${fails}`, large, { fails });
    expect(ended).toMatchObject({ status: 'SUCCEEDED' });
    expect([receipt?.documents, receipt?.warnings]).toEqual([['result', 'logs-stdout'], undefined]);
    expect(written.slice(fails)).toEqual(['result.json', 'logs-stdout.json']);
    expect(changed).toEqual([job.id]);
  }
});

it('a report that comes too late is refused, which is no fault', async () => {
  const { ended, changed, faults, receipt } = await reportedWith('late', large, {
    stored: { attempt: 2, version: 2 },
  });
  expect([ended, changed, faults, receipt?.outcome.kind]).toEqual([undefined, [], [], 'succeeded']);
});

const SECRET = 'a-secret-of-the-attempt';
/** Members that the service itself makes, and reads again. */
const NOT_MASKED =
  /^(job_id|worker_id|messages|(started|finished)_at|outcome\.until|changes\.(base|head)|streams\.\w+\.sha256)$/;

/** A value that fits a schema, with the secret in each string of it that is not made by the service itself. */
function withSecret(schema: z.core.$ZodType, path = ''): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withSecret(schema.unwrap(), path);
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, member]) => [name, withSecret(member, path ? `${path}.${name}` : name)]),
    );
  if (schema instanceof z.ZodArray) return [withSecret(schema.element, path)];
  if (schema instanceof z.ZodEnum) return schema.options[0];
  // A known code, or one of a later version.
  if (schema instanceof z.ZodUnion && schema.options[0] !== undefined) return withSecret(schema.options[0], path);
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodNumber) return 1;
  if (schema instanceof z.ZodBoolean) return true;
  if (schema instanceof z.ZodString) return NOT_MASKED.test(path) ? '2026-11-20T10:00:00.000Z' : `${path}: ${SECRET}.`;
  throw new Error(`${path}: the test does not know ${schema.constructor.name}`);
}

it('no text of a receipt, or of the job that is made of it, holds a secret', async () => {
  for (const outcome of [
    { kind: 'failed', reason: 'agent_error' } as const,
    { kind: 'succeeded', reason: 'exited' } as const,
  ]) {
    const name = `masked ${outcome.kind}`;
    const job = await deployment.store(aRunningJob({ id: jobIdOfKey(name), project_id: name, folder: name }));
    const receipt = receiptSchema.parse(withSecret(receiptSchema));
    const { job_id, worker_id, version, attempt, finished_at, documents, started_at, ...record } = receipt;
    const masking = { ...attemptOf(job), startedAt: started_at, redaction: new Redaction([SECRET]) };
    const run = { record: { ...record, outcome: { ...record.outcome, ...outcome } }, sources: undefined };
    await reportAttempt(masking, run);
    const kept = await deployment.output.readReceipt(job.id, 1);
    const { outcome: _, ...rest } = kept ?? {};
    const { outcome: __, ...expected } = { ...receipt, job_id: job.id, worker_id: worker.workerId };
    const unmasked = JSON.stringify({ ...rest, finished_at }).replaceAll('***', SECRET);
    expect(JSON.parse(unmasked)).toEqual({ ...expected, documents: [] });
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(kept?.outcome).toMatchObject({ ...outcome, error: 'outcome.error: ***.' });
    const reported = await deployment.jobs.get(job.id, { consistent: true });
    expect(reported?.status).toBe(outcome.kind.toUpperCase());
    expect(JSON.stringify(reported)).not.toContain(SECRET);
  }
});
