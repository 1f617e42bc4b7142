import { STATUSES } from '../../../lib/contract/statuses.ts';
import { EXPORTS_PREFIX } from '../../../lib/exports/export-objects.ts';
import { isOutputDeleted } from '../../../lib/jobs/lifecycle/deleted-output.ts';
import { bandOf, type Job } from '../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { attemptPrefix, receiptKey } from '../../../lib/jobs/output/output-keys.ts';
import { BANDS, type Band, TABLES } from '../../../lib/platform/aws/tables.ts';
import { isEventId } from '../../../lib/platform/event-rows.ts';
import type { Actor, Network } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import { type EventKind, eventsOfWrite, noEvents } from '../model/events.ts';
import type { Item } from '../model/expressions.ts';
import type { Faults } from '../model/faults.ts';
import { ModelObjects } from '../model/objects.ts';
import type { ModelQueue } from '../model/queue.ts';
import { perform, type Services } from '../model/services.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { ModelTable, type Write } from '../model/table.ts';
import type { VirtualTime } from '../model/virtual-time.ts';
import { faultOfGrant } from '../rules/grant-rules.ts';
import { faultOfExportObject, faultOfObject } from '../rules/object-rules.ts';
import { ProbeRules } from '../rules/probe-rules.ts';
import { faultOfWrite } from '../rules/transition-rules.ts';
import { TreeRules } from '../rules/tree-rules.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { JobStream } from './job-stream.ts';
import { modelServices } from './model-services.ts';
import { SentMessages } from './sent-messages.ts';
import { ModelTemplates } from './templates.ts';
import { changes, commandLine } from './trace-lines.ts';

/** The services of a deployment, which report every write that breaks an invariant. */
export class ModelDeployment implements Network {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly faults: Faults;
  readonly jobs: ModelTable;
  readonly registry: ModelTable;
  readonly queues: Readonly<Record<Band, ModelQueue>>;
  readonly stream = new JobStream();
  /** Called with the state after each write to a job. */
  onJobWrite: (before: Job | undefined, after: Job, actor: Actor) => void = () => undefined;
  /** Called with each write to the registry. */
  onRegistryWrite: (before: Item | undefined, after: Item | undefined, actor: Actor) => void = () => undefined;
  /** Called after an append of events of these types, and by the minute's pass without types, if the feed has readers. */
  wakeReaders: ((process: SimulatedProcess, types?: ReadonlySet<string>) => Promise<void>) | undefined;
  readonly trees = new TreeRules(this);
  readonly templates = new ModelTemplates(this);
  /** How often each command was called, by its name. */
  readonly calls: Record<string, number> = {};
  readonly events = noEvents();
  readonly objects: ModelObjects;
  /** When each process called a service first, milliseconds of virtual time. */
  readonly firstCalls = new Map<string, number>();
  /** Attempts that were reported as succeeded: `id/attempt`. */
  readonly succeeded = new Set<string>();
  readonly #services: Services;
  /** Reports a broken invariant. */
  readonly tellFault: (fault: string) => void;
  readonly #trace: ((line: string) => void) | undefined;
  readonly #kept = new Map<string, number>();
  readonly #sent = new SentMessages();
  readonly #receiptTimes = new Map<string, number>();
  /** When each message was recorded as not delivered. */
  readonly #settledAt = new Map<string, number>();
  readonly #writtenAt = new Map<string, number>();
  /** When each job was last changed, milliseconds of virtual time. */
  readonly #changedAt = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #probes = new ProbeRules();
  readonly #later = new Set<string>();
  #steps = 0;
  #ids = 0;
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
    this.registry = new ModelTable(TABLES.registry, {
      ...options,
      onWrite: ({ before, after }) => {
        this.#probes.noteRecord(after, before, this.#actor);
        this.onRegistryWrite(before, after, this.#actor);
        const unkept = this.templates.faultOfWrite(before, after);
        if (unkept !== undefined) this.tellFault(unkept);
        if (after?.state === 'not_delivered' && before?.state !== 'not_delivered')
          this.#settledAt.set(String(after.id), this.time.wall);
      },
    });
    this.objects = new ModelObjects((key, before, after) => {
      const [, stream = '', offset = '0'] = /^(.*\/stdout)(?:\.log|\/(\d+))$/.exec(key) ?? [];
      if (stream !== '' && after !== undefined)
        this.#kept.set(stream, Math.max(this.#kept.get(stream) ?? 0, Number(offset) + after.length));
      const fault = key.startsWith(EXPORTS_PREFIX)
        ? faultOfExportObject(before, after)
        : faultOfObject(this.objects, { key, before, after }, (id, attempt) => {
            const job = this.jobs.get({ id }, true) as Job | undefined;
            return job !== undefined && isOutputDeleted(job, attempt);
          });
      if (fault !== undefined) this.tellFault(this.#named(`${key}: ${fault}`));
      if (key.endsWith('/receipt.json') && before === undefined) this.#receiptTimes.set(key, this.time.wall);
    });
    const { queues, services } = modelServices(world, this);
    this.queues = queues;
    this.#services = services;
  }

  perform(command: unknown, actor: Actor): unknown {
    this.#steps += 1;
    this.#actor = actor;
    if (!this.firstCalls.has(actor.id)) this.firstCalls.set(actor.id, this.time.now);
    const { input } = command as { input: Record<string, unknown> };
    const name = (command as object).constructor.name;
    this.calls[name] = (this.calls[name] ?? 0) + 1;
    const { MessageBody: body } = input;
    if (typeof body === 'string') {
      const job = this.#sent.noteSending(actor.id, body);
      if (this.jobs.get({ id: job }, true) === undefined)
        this.tellFault('a message was sent before its job was stored');
    }
    const refused = faultOfGrant(name, input, actor, ENV.REGISTRY_TABLE);
    if (refused !== undefined) this.tellFault(this.#named(refused));
    if (name === 'DeleteMessageCommand' && String(input.QueueUrl).startsWith('dead-')) this.#checkDeadLetter(input);
    try {
      const result = perform(this.#services, command);
      if (typeof body === 'string') this.#sent.noteAccepted(body, this.#steps);
      this.#trace?.(commandLine(actor, { command: name, input, result: 'ok' }, (text) => this.#named(text)));
      return result;
    } catch (error) {
      const { name: kind, message } = error as Error;
      this.#trace?.(commandLine(actor, { command: name, input, result: kind }, (text) => this.#named(text)));
      // Services name their errors; an unnamed one means that the model doesn't support the call.
      if (kind === 'Error' || kind === 'TypeError') this.tellFault(message);
      if (kind === 'NoSuchKey' && String(input.Key).includes('/texts/'))
        this.tellFault(`the texts of ${this.#named(String(input.Key))} were not seen`);
      throw error;
    }
  }

  #checkDeadLetter({ QueueUrl, ReceiptHandle }: Record<string, unknown>): void {
    const body = this.#services.queues.get(String(QueueUrl))?.bodyOf(String(ReceiptHandle));
    if (body !== undefined && !this.#sent.wasSentBy(this.#actor.id, body))
      this.tellFault('a dead letter was deleted before its message was sent again');
  }

  /** Stores a job that a later version wrote: any change of it breaks an invariant. */
  addLater(item: Item): void {
    this.#later.add(String(item.id));
    this.jobs.put(item, {});
  }

  /** How many jobs there truly are in each state, those of a later version too. */
  recount(): Record<string, number> {
    const counts: Record<string, number> = Object.fromEntries(STATUSES.map((status) => [status, 0]));
    for (const { id, status, cause } of this.jobs.all() as Item[] as Job[])
      if (cause?.kind !== 'system' && !isEventId(id)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** The true state of the jobs, without system jobs and those of a later version. */
  allJobs(): Job[] {
    return (this.jobs.all() as Item[] as Job[]).filter(
      ({ id, cause }) => cause?.kind !== 'system' && !this.#later.has(id) && !isEventId(id),
    );
  }

  systemJobs(): Job[] {
    return (this.jobs.all() as Item[] as Job[]).filter(({ cause }) => cause?.kind === 'system');
  }

  /** Ids decide in which partition a job is, so the same course of events has the same ones each time. */
  newJobId(): string {
    this.#ids += 1;
    return jobIdOfKey(`the world's job ${this.#ids}`);
  }

  /** For how many milliseconds no decision has changed a job. */
  unchangedFor(id: string): number {
    return this.time.now - (this.#changedAt.get(id) ?? this.time.now);
  }

  /** A job's name by its order of creation. */
  nameOf(id: string | undefined): string {
    return this.#names.get(id ?? '') ?? 'a new job';
  }

  tellEvent(event: EventKind): void {
    this.events[event] += 1;
  }

  /** How many bytes of an attempt's stdout were ever acknowledged. */
  keptOutput(jobId: string, attempt: number): number {
    return this.#kept.get(`${attemptPrefix(jobId, attempt)}stdout`) ?? 0;
  }

  hasReceipt(jobId: string, attempt: number): boolean {
    return this.#receiptTimes.has(receiptKey(jobId, attempt));
  }

  /** Whether an attempt had its receipt when a message was settled: one that was replaced may write it later. */
  hadReceipt({ id }: Job, attempt: number, message: string): boolean {
    const at = this.#receiptTimes.get(receiptKey(id, attempt)) ?? Number.POSITIVE_INFINITY;
    return at <= (this.#settledAt.get(message) ?? Number.POSITIVE_INFINITY);
  }

  purgeQueues(): void {
    for (const band of BANDS) this.queues[band].purge();
  }

  #onWrite({ before, after }: Write): void {
    if (isEventId((after ?? before)?.id)) {
      this.#onEventRow(before, after);
      return;
    }
    const [was, is] = [jobOf(before), jobOf(after)];
    if (is !== undefined && this.#later.has(is.id)) {
      this.#onLaterWrite(was, is);
      return;
    }
    if (is !== undefined && was === undefined) this.#names.set(is.id, `job-${this.#names.size + 1}`);
    const writtenAt = this.#writtenAt.get(is?.id ?? '') ?? 0;
    this.#trace?.(
      `    ${this.nameOf(is?.id)} ${was?.status ?? '-'} → ${is?.status ?? '-'} (${is?.reason}) ${changes(was, is)}`,
    );
    const fault = faultOfWrite({
      ...{ before: was, after: is },
      actor: this.#actor,
      wall: this.time.wall,
      receiptAt: (jobId, attempt) => this.#receiptTimes.get(receiptKey(jobId, attempt)),
      hasMessage: (job) => this.#sent.hasAfter(writtenAt, bandOf(job), job.id),
      isReplaceable: ({ id, ancestors }) => {
        const root = this.jobs.get({ id: ancestors?.[0]?.id ?? id }, true) as Job | undefined;
        return (root?.cause ?? is?.cause)?.kind === 'schedule';
      },
    });
    if (fault !== undefined) this.tellFault(`${this.nameOf(is?.id)}: ${fault}`);
    if (is === undefined) return;
    const unfair = this.#probes.faultOf(
      { before: was, after: is },
      { jobs: () => this.allJobs(), wall: this.time.wall },
    );
    if (unfair !== undefined) this.tellFault(`${this.nameOf(is.id)}: ${unfair}`);
    if (is.cause.kind !== 'system') for (const event of eventsOfWrite(was, is, this.#actor)) this.tellEvent(event);
    if (is.cause.kind !== 'system' && was?.status === 'RUNNING' && is.status === 'SUCCEEDED')
      this.succeeded.add(`${is.id}/${is.attempt}`);
    // Heartbeats decide nothing: one may come between a message and its write.
    if (was?.version !== is.version) {
      this.#writtenAt.set(is.id, this.#steps);
      this.#changedAt.set(is.id, this.time.now);
    }
    this.#tellStream(was, is);
    this.onJobWrite(was, is, this.#actor);
  }

  #onEventRow(before: Item | undefined, after: Item | undefined): void {
    if (before !== undefined) this.tellFault(`${before.id} is written again`);
    else if (after !== undefined) this.stream.addRow(after);
  }

  #onLaterWrite(before: Job | undefined, after: Job): void {
    if (before === undefined) this.#tellStream(undefined, after);
    else this.tellFault(`${after.id}: ${this.#actor.doing} changed a job that only a later version understands`);
  }

  #tellStream(before: Job | undefined, after: Job): void {
    const fault = this.stream.add(before, after);
    if (fault !== undefined) this.tellFault(`${this.nameOf(after.id)}: ${fault}`);
  }

  #named(text: string): string {
    return text.replaceAll(/job_[0-9a-z]{26}/g, (id) => this.nameOf(id));
  }
}

/** The table holds what the modules wrote, so it needs no second parse. */
function jobOf(item: Item | undefined): Job | undefined {
  return item as Job | undefined;
}
