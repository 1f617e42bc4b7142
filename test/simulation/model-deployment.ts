import { BANDS, type Band, TABLES } from '../../lib/aws/tables.ts';
import { bandOf, type Job, jobItemSchema } from '../../lib/jobs/job.ts';
import { receiptKey } from '../../lib/jobs/output-keys.ts';
import type { Item } from './expressions.ts';
import type { Faults } from './faults.ts';
import type { Actor, Network } from './model-client.ts';
import { ModelQueue } from './model-queue.ts';
import { perform, type Services } from './model-services.ts';
import { ModelTable, type Write } from './model-table.ts';
import type { SeededRandom } from './seeded-random.ts';
import { faultOfWrite } from './transition-rules.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The environment that the modules are opened with. */
export const ENV = {
  JOBS_TABLE: 'jobs',
  REGISTRY_TABLE: 'registry',
  OUTPUT_BUCKET: 'outputs',
  QUEUE_URL_HIGH: 'https://queues.test/high',
  QUEUE_URL_NORMAL: 'https://queues.test/normal',
  QUEUE_URL_LOW: 'https://queues.test/low',
  PROMPTQ_TIMEOUT_UNIT: 'seconds' as const,
  PROMPTQ_DEFAULT_PROFILE: 'codex',
  PROMPTQ_WORKSPACES: '/workspaces',
  PROMPTQ_ALLOWED_ROOTS: [],
  PROMPTQ_TEMP: '/tmp',
  PROMPTQ_S3_PATH_STYLE: true,
  PROMPTQ_CONCURRENCY: 1,
  PROMPTQ_WORK_DIR: '/work',
  PROMPTQ_STOP_GRACE_SECONDS: 5,
  PROMPTQ_OUTPUT_BYTES: 1_000_000,
  PROMPTQ_ACCOUNT_PROBE_SECONDS: 60,
  PROMPTQ_USAGE_PROBE_SECONDS: 300,
  PROMPTQ_VERSION: '0',
  PATH: '',
  HOME: '/',
  LANG: 'C',
};

/** A record of the Jobs table's stream. */
export interface StreamRecord {
  readonly sequence: string;
  readonly before: Job['status'] | undefined;
  readonly after: Job['status'] | undefined;
}

/** How many shards the stream has. */
export const SHARDS = 2;

/** The services of a deployment, which tell of every write that breaks an invariant. */
export class ModelDeployment implements Network {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly faults: Faults;
  readonly jobs: ModelTable;
  readonly registry: ModelTable;
  readonly queues: Readonly<Record<Band, ModelQueue>>;
  readonly stream: readonly StreamRecord[][] = Array.from({ length: SHARDS }, () => []);
  /** Called with what each write to a job made of it. */
  onJobWrite: (before: Job | undefined, after: Job) => void = () => undefined;
  calls = 0;
  readonly #services: Services;
  /** Tells of an invariant that was broken. */
  readonly tellFault: (fault: string) => void;
  readonly #trace: ((line: string) => void) | undefined;
  readonly #receiptTimes = new Map<string, number>();
  readonly #permitTimes = new Map<string, number>();
  readonly #writtenAt = new Map<string, number>();
  readonly #shardOf = new Map<string, number>();
  readonly #names = new Map<string, string>();
  #steps = 0;
  #actor: Actor = { id: 'nobody', doing: 'nothing' };

  constructor(
    world: { time: VirtualTime; random: SeededRandom; faults: Faults },
    hooks: { onFault: (fault: string) => void; trace?: ((line: string) => void) | undefined },
  ) {
    this.time = world.time;
    this.random = world.random;
    this.faults = world.faults;
    this.tellFault = hooks.onFault;
    this.#trace = hooks.trace;
    const options = { now: () => this.time.now, staleness: this.faults };
    this.jobs = new ModelTable(TABLES.jobs, { ...options, onWrite: (write) => this.#onWrite(write) });
    this.registry = new ModelTable(TABLES.registry, { ...options, onWrite: () => undefined });
    const queue = () => new ModelQueue(this.time, this.random, this.faults);
    this.queues = { high: queue(), normal: queue(), low: queue() };
    this.#services = {
      tables: new Map([
        [ENV.JOBS_TABLE, this.jobs],
        [ENV.REGISTRY_TABLE, this.registry],
      ]),
      queues: new Map([
        [ENV.QUEUE_URL_HIGH, this.queues.high],
        [ENV.QUEUE_URL_NORMAL, this.queues.normal],
        [ENV.QUEUE_URL_LOW, this.queues.low],
      ]),
      objects: new Map(),
    };
  }

  perform(command: unknown, actor: Actor): unknown {
    this.calls += 1;
    this.#steps += 1;
    this.#actor = actor;
    const { input } = command as { input: Record<string, unknown> };
    const name = (command as object).constructor.name;
    try {
      const result = perform(this.#services, command);
      this.#note(input);
      this.#trace?.(this.#line(actor, name, input, 'ok'));
      return result;
    } catch (error) {
      const { name: kind, message } = error as Error;
      this.#trace?.(this.#line(actor, name, input, kind));
      // Services name their errors; others are the model's own: it was asked for what it can't do.
      if (kind === 'Error' || kind === 'TypeError') this.tellFault(message);
      if (kind === 'NoSuchKey' && String(input.Key).includes('/texts/'))
        this.tellFault(`the texts of ${this.#named(String(input.Key))} were not seen`);
      throw error;
    }
  }

  /** The jobs as they truly are. */
  allJobs(): Job[] {
    return this.jobs.all().map((item) => jobItemSchema.parse(item));
  }

  /** A job's name by its order of creation: ids are random, and the same course of events has other ones each time. */
  nameOf(id: string | undefined): string {
    return this.#names.get(id ?? '') ?? 'a new job';
  }

  hasReceipt(jobId: string, attempt: number): boolean {
    return this.#receiptTimes.has(receiptKey(jobId, attempt));
  }

  purgeQueues(): void {
    for (const band of BANDS) this.queues[band].purge();
  }

  #note(input: Record<string, unknown>): void {
    if (typeof input.MessageBody === 'string') {
      const { band, job } = JSON.parse(input.MessageBody) as { band: string; job: string };
      this.#permitTimes.set(`${band} ${job}`, this.#steps);
    } else if (typeof input.Key === 'string' && input.Body !== undefined && !this.#receiptTimes.has(input.Key))
      this.#receiptTimes.set(input.Key, this.time.wall);
  }

  #onWrite({ before, after }: Write): void {
    const [was, is] = [jobOf(before), jobOf(after)];
    if (is !== undefined && was === undefined) this.#names.set(is.id, `job-${this.#names.size + 1}`);
    const writtenAt = this.#writtenAt.get(is?.id ?? '') ?? 0;
    this.#trace?.(
      `    ${this.nameOf(is?.id)} ${was?.status ?? '-'} → ${is?.status ?? '-'} (${is?.reason}) ${changes(was, is)}`,
    );
    const fault = faultOfWrite({
      before: was,
      after: is,
      actor: this.#actor,
      wall: this.time.wall,
      receiptAt: (jobId, attempt) => this.#receiptTimes.get(receiptKey(jobId, attempt)),
      hasPermit: (job) => (this.#permitTimes.get(`${bandOf(job)} ${job.id}`) ?? 0) > writtenAt,
    });
    if (fault !== undefined) this.tellFault(`${this.nameOf(is?.id)}: ${fault}`);
    if (is === undefined) return;
    // Heartbeats decide nothing: one may come between a permit and its write.
    if (was?.version !== is.version) this.#writtenAt.set(is.id, this.#steps);
    const shard = this.#shardOf.get(is.id) ?? this.#shardOf.size % SHARDS;
    this.#shardOf.set(is.id, shard);
    const sequence = String(10n ** 20n + BigInt(this.#steps));
    this.stream[shard]?.push({ sequence, before: was?.status, after: is.status });
    this.onJobWrite(was, is);
  }

  #named(text: string): string {
    return text.replaceAll(/job_[0-9a-z]{26}/g, (id) => this.nameOf(id));
  }

  #line(actor: Actor, command: string, input: Record<string, unknown>, result: string): string {
    const about =
      input.Key ?? input.Item ?? input.MessageBody ?? input.ReceiptHandle ?? input.ExpressionAttributeValues;
    const shown = typeof about === 'string' ? about : JSON.stringify(about ?? '');
    return `${actor.id} ${actor.doing}: ${command.replace('Command', '')} ${this.#named(shown).slice(0, 90)} ${result}`;
  }
}

/** The table holds what the modules wrote, so it needs no second parse. */
function jobOf(item: Item | undefined): Job | undefined {
  return item as Job | undefined;
}

function changes(before: Job | undefined, after: Job | undefined): string {
  if (before === undefined || after === undefined) return '';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Job)[];
  const shown = names.filter((name) => before[name] !== after[name] && !['change_id', 'updated_at'].includes(name));
  return shown.map((name) => `${name}=${String(after[name])}`).join(' ');
}
