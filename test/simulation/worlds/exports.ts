import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { createExportMaking } from '../../../lib/composition/exports.ts';
import { type ExportFile, ExportObjects, fileKey, partKey } from '../../../lib/exports/export-objects.ts';
import { type ExportRecord, exportRecordSchema, isFree, isOpen } from '../../../lib/exports/export-record.ts';
import { makeExport } from '../../../lib/exports/make-export.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { EXPORT_KIND } from '../../../lib/platform/aws/tables.ts';
import { pause } from '../../../worker-container/output/timing.ts';
import { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import type { Item } from '../model/expressions.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';
import { startProcess } from './workers.ts';

/** Lambda repeats a call that fails twice, after so many milliseconds. */
const REPEATS = [60_000, 120_000] as const;
/** It ends a call after so many. */
const LONGEST_CALL = 900_000;
/** An index shows a job after so many milliseconds at the latest, while there are faults. */
const LATEST_IN_INDEX = 130_000;
/** A part that holds two or three rows. */
const PART_BYTES = 2_000;

/** Clients that start, read and delete exports, and the function that makes them. */
export class ModelExports {
  readonly #deployment: ModelDeployment;
  readonly #onFault: (fault: string) => void;
  /** When each job was stored, milliseconds: a process that stands still stores one long after it has dated it. */
  readonly #storedAt = new Map<string, number>();
  #calls = 0;

  constructor(deployment: ModelDeployment, onFault: (fault: string) => void) {
    this.#deployment = deployment;
    this.#onFault = onFault;
  }

  /** Starts exports, and deletes some, until the faults are over. */
  async start(): Promise<void> {
    const { time, faults, random } = this.#deployment;
    while (faults.active) {
      await time.sleep(random.skewed(5_000, 600_000));
      if (!faults.active) return;
      void this.startOne();
      const [one] = this.#records();
      if (one !== undefined && random.chance(0.2)) this.#delete(one.id);
      this.read();
    }
  }

  /** A client asks for an export. @returns its id; undefined: it got no answer, or a refusal */
  async startOne(): Promise<string | undefined> {
    const format = this.#deployment.random.pick(['jsonl', 'csv'] as const);
    return await this.#run('start', async ({ exports }) => {
      const { id } = await exports.create({ kind: 'jobs', format }, 'token:client');
      void this.#wake(id);
      return id;
    });
  }

  /** One that is started once the faults are over. @returns what is wrong with it once it has ended */
  async faultsOfLast(): Promise<string[]> {
    const id = await this.startOne();
    const recordOf = () => this.#records().find((record) => record.id === id);
    for (let record = recordOf(); record !== undefined && isOpen(record); record = recordOf())
      await this.#deployment.time.sleep(1_000);
    const last = recordOf();
    if (last?.status !== 'done') return [`the last export is ${last?.status ?? 'not there'}`];
    const ids = new Set(this.#rowsOf(last).map((row) => row.id));
    const missing = this.#deployment.allJobs().filter((job) => !ids.has(job.id));
    return missing.map((job) => `the last export lacks ${this.#deployment.nameOf(job.id)}`);
  }

  /** A client reads all exports: those that nobody makes are called for again. */
  read(): void {
    const now = timestamp(this.#deployment.time.wall);
    for (const record of this.#records()) if (isFree(record, now)) void this.#wake(record.id);
  }

  /** Whether each has ended. */
  get areDone(): boolean {
    return this.#records().every((record) => !isOpen(record));
  }

  onJobWrite(before: Job | undefined, { id }: Job): void {
    if (before === undefined) this.#storedAt.set(id, this.#deployment.time.wall);
  }

  /** Judges a write of an export. */
  onWrite(before: Item | undefined, after: Item | undefined): void {
    if ((after ?? before)?.kind !== EXPORT_KIND) return;
    const [was, is] = [before, after].map((item) => exportRecordSchema.safeParse(item).data);
    if (is === undefined) {
      if (was?.status === 'running') this.#deployment.tellEvent('export deleted while it ran');
      return;
    }
    const fault = this.#faultOf(was, is);
    if (fault !== undefined) this.#onFault(`export ${is.id}: ${fault}`);
    if (is.status === 'done') this.#deployment.tellEvent('export made');
    const isTaken = was !== undefined && is.attempt > was.attempt;
    if (isTaken && was.fruitless > 0 && was.rows > 0) this.#deployment.tellEvent('export continued after a death');
  }

  #faultOf(was: ExportRecord | undefined, is: ExportRecord): string | undefined {
    if (was === undefined) return undefined;
    if (!isOpen(was)) return `it was ${was.status} and is ${is.status}`;
    if (is.rows < was.rows || is.attempt < was.attempt) return 'it went back';
    const parts = JSON.stringify(is.parts.slice(0, was.parts.length));
    if (isOpen(is) && parts !== JSON.stringify(was.parts)) return 'a listed part is no longer listed';
    if (is.parts.length > was.parts.length && is.attempt !== was.attempt) return 'a claim listed a part';
    return is.status === 'done' ? this.#faultOfWhole(is) : undefined;
  }

  #faultOfWhole(record: ExportRecord): string | undefined {
    const files = record.format === 'csv' ? (['jsonl', 'csv'] as const) : (['jsonl'] as const);
    const missing = files.find((file) => this.#deployment.objects.get(fileKey(record, file)) === undefined);
    if (missing !== undefined) return `it is done without its ${missing}`;
    const rows = this.#rowsOf(record);
    const ids = new Set(rows.map(({ id }) => id));
    if (ids.size < rows.length) return 'it has a job twice';
    if (rows.length !== record.rows) return `it has ${rows.length} rows and says ${record.rows}`;
    if (rows.some(({ created_at: at }, n) => at < (rows[n - 1]?.created_at ?? ''))) return 'its rows are in no order';
    if (rows.some(({ created_at: at }) => at >= record.created_at)) return 'it has a later job';
    const surely = Date.parse(record.created_at) - LATEST_IN_INDEX;
    const storedAt = (id: string) => this.#storedAt.get(id) ?? Number.POSITIVE_INFINITY;
    const isIn = (job: Job) => job.created_at < timestamp(surely) && storedAt(job.id) < surely;
    const lost = this.#deployment.allJobs().find((job) => isIn(job) && !ids.has(job.id));
    return lost && `it lacks ${this.#deployment.nameOf(lost.id)}`;
  }

  #rowsOf(record: ExportRecord): Pick<Job, 'id' | 'created_at'>[] {
    const lines = String(this.#deployment.objects.get(fileKey(record, 'jsonl')) ?? '').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Job);
  }

  #records(): ExportRecord[] {
    return this.#deployment.registry.all().flatMap((item) => exportRecordSchema.safeParse(item).data ?? []);
  }

  #delete(id: string): void {
    void this.#run('delete', async ({ exports, objects }) => {
      await exports.remove(id);
      await objects.remove(id, 'all');
    });
  }

  async #wake(id: string): Promise<void> {
    const { time, random } = this.#deployment;
    for (const wait of [...REPEATS, undefined]) {
      const made = await this.#run(
        'make',
        async (services) => await makeExport(services, id, () => random.chance(0.1)),
      );
      if (made === 'again') return void this.#wake(id);
      if (made !== undefined || wait === undefined) return;
      await time.sleep(wait);
    }
  }

  /** @returns undefined if the call failed, or its process died */
  #run<T>(
    doing: string,
    run: (services: ReturnType<ModelExports['servicesOf']>) => Promise<T>,
  ): Promise<T | undefined> {
    this.#calls += 1;
    const process = startProcess(this.#deployment, `exports-${this.#calls}`);
    return new Promise((resolve) => {
      process.onDeath(() => resolve(undefined));
      this.#deployment.time.schedule(() => process.kill(), LONGEST_CALL);
      run(this.servicesOf(process, doing)).then(resolve, () => resolve(undefined));
    });
  }

  servicesOf(process: SimulatedProcess, doing: string) {
    const client = new ModelClient(this.#deployment, process, { id: process.name, doing });
    const { table, objects: s3 } = client;
    return {
      ...createExportMaking({ table, clock: process.clock, s3, env: ENV }),
      objects: new ExportObjects(s3, ENV.OUTPUT_BUCKET),
      // The SDK's uploads in parts need the real client.
      join: async (record: ExportRecord, file: ExportFile, header: string) => {
        await joinInModel(client, record, file, header);
      },
      pause: async (milliseconds: number) => await pause(process.timing, milliseconds),
      partBytes: PART_BYTES,
      atOnce: 3,
    };
  }
}

/** Writes a whole file at once, as an upload in parts does with its last request. */
async function joinInModel(
  { objects }: ModelClient,
  record: ExportRecord,
  file: ExportFile,
  header: string,
): Promise<void> {
  const texts: string[] = [header];
  for (const { number } of record.parts) {
    const Key = partKey(record.id, number, file);
    const { Body } = await objects.send(new GetObjectCommand({ Bucket: ENV.OUTPUT_BUCKET, Key }));
    texts.push((await Body?.transformToString()) ?? '');
  }
  const Key = fileKey(record, file);
  await objects.send(new PutObjectCommand({ Bucket: ENV.OUTPUT_BUCKET, Key, Body: texts.join('') }));
}
