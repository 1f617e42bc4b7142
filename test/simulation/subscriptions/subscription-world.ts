import type { EventType } from '../../../lib/contract/event-types.ts';
import type { EventView } from '../../../lib/contract/schemas/event.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import { FeedReaders } from '../../../lib/events/feed-readers.ts';
import { readOn } from '../../../lib/events/read-on.ts';
import { SUBSCRIPTION_KINDS } from '../../../lib/platform/aws/tables.ts';
import type { DeliveringContext } from '../../../lib/subscriptions/deliver/deliver.ts';
import { openSubscription } from '../../../lib/subscriptions/deliver/deliver-events.ts';
import type { Outgoing, Sent } from '../../../lib/subscriptions/senders/sending.ts';
import { type Delivery, DeliveryStore } from '../../../lib/subscriptions/store/delivery-store.ts';
import { SentMessageStore } from '../../../lib/subscriptions/store/sent-messages.ts';
import type { Subscription } from '../../../lib/subscriptions/store/subscription.ts';
import { SubscriptionStore } from '../../../lib/subscriptions/store/subscription-store.ts';
import { createSubscription } from '../../../lib/subscriptions/store/write-subscription.ts';
import { ModelClient } from '../model/client.ts';
import { ENV } from '../model/environment.ts';
import { Faults } from '../model/faults.ts';
import { inWorld } from '../model/seeded-process.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { VirtualTime } from '../model/virtual-time.ts';
import { SeededRandom } from '../seeded-random.ts';
import { ModelDeployment } from '../worlds/deployment.ts';
import { startProcess } from '../worlds/workers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

type NewEvent = Parameters<EventFeed['append']>[1][number]['event'];

/** Lambda ends an invocation after so many milliseconds. */
const LONGEST_INVOCATION = 5 * MINUTE;

/** Virtual time after the end of all faults, in which everything is to be delivered. */
const REST = 4 * HOUR;

/** What a receiver does, by the name of its subscription; for how long it refuses (ms). */
const RECEIVERS = { well: 0, flaky: 0, down: 30 * HOUR, hourly: 0 } as const;
type Name = keyof typeof RECEIVERS;
const NAMES = Object.keys(RECEIVERS) as Name[];

/** What became of one world. */
export interface SubscriptionReport {
  readonly seed: number;
  readonly events: number;
  /** Messages that receivers accepted, those that came again included. */
  readonly accepted: number;
  readonly dropped: number;
  readonly violations: readonly string[];
}

/**
 * Subscriptions whose function is killed, paused, called twice or not at all, on machines with wrong clocks, and whose
 * receivers refuse, hang, lose the answer, and are down for longer than deliveries are tried.
 */
export class SubscriptionWorld {
  readonly #seed: number;
  readonly #time = new VirtualTime();
  readonly #random: SeededRandom;
  readonly #faults: Faults;
  readonly #deployment: ModelDeployment;
  readonly #violations: string[] = [];
  /** Ids of the events that each receiver has accepted, in order. */
  readonly #accepted = new Map<Name, string[]>(NAMES.map((name) => [name, []]));
  readonly #sequences = new Map<string, number>();
  #appended = 0;
  #processes = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = new SeededRandom(seed);
    this.#faults = new Faults(this.#random);
    this.#deployment = new ModelDeployment(
      { time: this.#time, random: this.#random, faults: this.#faults },
      { onFault: (fault) => this.#violations.push(fault) },
    );
  }

  /** @param hours of virtual time with faults */
  async run(hours: number): Promise<SubscriptionReport> {
    return await inWorld({ seed: this.#seed, time: this.#time }, async () => await this.#run(hours));
  }

  async #run(hours: number): Promise<SubscriptionReport> {
    let isBegun = false;
    void this.#subscribe().then(() => {
      isBegun = true;
    });
    await this.#time.run(() => isBegun);
    void this.#append();
    void this.#passes();
    await this.#time.run(() => this.#time.now >= hours * HOUR);
    this.#faults.end(this.#time.now);
    await this.#time.run(() => this.#time.now >= hours * HOUR + REST);
    let dropped: number | undefined;
    void this.#judge().then((count) => {
      dropped = count;
    });
    await this.#time.run(() => dropped !== undefined);
    const accepted = [...this.#accepted.values()].reduce((sum, { length }) => sum + length, 0);
    return { seed: this.#seed, events: this.#appended, accepted, dropped: dropped ?? 0, violations: this.#violations };
  }

  async #subscribe(): Promise<void> {
    for (const name of NAMES)
      for (let isMade = false; !isMade; )
        await this.#as('subscribe', async (context) => {
          const secrets = { put: async () => 'ref', delete: async () => undefined };
          const target = { webhook: { url: `https://${name}.example.com/` } };
          const events: EventType[] = ['job.created', 'job.updated', 'job.failed'];
          const digest = name === 'hourly' ? ('hourly' as const) : ('none' as const);
          const write = { ...context, secrets, reach: { loopback: false } };
          if ((await context.subscriptions.get(name)) === undefined)
            await createSubscription(write, { name, target, events, digest }, 'me');
          isMade = true;
        });
  }

  /** Batches of the stream: each is delivered until it succeeds, and wakes readers, or the call is lost. */
  async #append(): Promise<void> {
    const random = this.#random;
    for (let batch = 1; this.#faults.active; batch += 1) {
      await this.#time.sleep(random.integer(5 * MINUTE, 60 * MINUTE));
      const events = Array.from({ length: random.integer(1, 4) }, () => this.#event());
      const recorded = events.map((event, at) => ({ sequence: String(batch * 10 + at), event }));
      for (let isDone = false; !isDone; await this.#time.sleep(1_000))
        await this.#as('count', async ({ feed, readers }) => {
          await feed.append('shard', recorded);
          isDone = true;
          const woken = await readers.waitingFor(new Set(events.map(({ type }) => type)));
          for (const id of woken) if (!this.#faults.happens('message lost', 0.1)) this.#call(id);
        });
    }
  }

  #event(): NewEvent {
    this.#appended += 1;
    const job_id = `job_${this.#random.integer(1, 5)}`;
    const sequence = (this.#sequences.get(job_id) ?? 0) + 1;
    this.#sequences.set(job_id, sequence);
    const [type, status] = this.#random.pick([
      ['job.updated', 'QUEUED'],
      ['job.failed', 'FAILED'],
    ] as const);
    return {
      ...{ type, status, job_id, sequence, time: new Date(this.#time.wall).toISOString(), reason: null },
      ...{ project_id: 'p', project: 'p', profile: 'shell', created_by: 'me', attempt: 1 },
      ...{ question: null, template: null, automation: null },
    } as NewEvent;
  }

  async #passes(): Promise<void> {
    for (;;) {
      await this.#time.sleep(MINUTE);
      if (this.#faults.happens('watch missed', 0.2)) continue;
      void this.#as('watch', async ({ readers }) => {
        for (const id of await readers.due()) this.#call(id);
      });
    }
  }

  #call(id: string): void {
    const calls = this.#faults.happens('message doubled', 0.1) ? 2 : 1;
    for (let n = 0; n < calls; n += 1)
      void this.#as('read', async (context) => {
        const ends = this.#time.now + 4 * MINUTE;
        const open = async () => await openSubscription(context, id.slice('subscription:'.length));
        await readOn(context, id, open, () => this.#time.now > ends);
      });
  }

  async #receive(name: Name, { events }: Outgoing): Promise<Sent> {
    const random = this.#random;
    const accepts = () => {
      for (const { id } of events) this.#accepted.get(name)?.push(id);
    };
    await this.#time.sleep(random.integer(1, 50));
    if (this.#time.now < RECEIVERS[name]) return { outcome: 'retry', why: 'Answered with status 503.', status: 503 };
    const mood = name === 'well' || !this.#faults.active ? 1 : random.next();
    if (mood < 0.2) return { outcome: 'retry', why: 'Answered with status 429.', status: 429, after: 120 };
    if (mood < 0.3) await this.#time.sleep(15_000);
    if (mood < 0.35) return { outcome: 'retry', why: 'There was no answer within 15 seconds.' };
    accepts();
    return mood < 0.5 ? { outcome: 'retry', why: 'The call failed: socket hang up' } : { outcome: 'sent', status: 200 };
  }

  contextOf(
    process: SimulatedProcess,
    doing: string,
  ): DeliveringContext & {
    readonly feed: EventFeed;
    readonly readers: FeedReaders;
  } {
    const { table } = new ModelClient(this.#deployment, process, { id: process.name, doing });
    const registry = { table, registryTable: ENV.REGISTRY_TABLE, clock: process.clock };
    const feed = new EventFeed(registry);
    const readers = new FeedReaders({ ...registry, feed });
    return {
      ...{ feed, readers, clock: process.clock, random: this.#random.next },
      subscriptions: new SubscriptionStore({ ...registry, readers }),
      deliveries: new DeliveryStore(registry),
      secrets: { get: async () => undefined },
      pause: (milliseconds) => new Promise<void>((go) => process.schedule(() => go(), milliseconds)),
      senders: {
        ...({} as DeliveringContext['senders']),
        webhook: async (_context, outgoing, { subscription }) => {
          const sent = await this.#receive(subscription.name as Name, outgoing);
          // The receiver has decided; the process may have died meanwhile.
          return await new Promise((go) => process.schedule(() => go(sent), 1));
        },
      },
      send: {
        ...{ reach: { loopback: false }, origin: undefined, noticesOf: async () => [] },
        // Only webhooks are simulated.
        ...{ apis: { telegram: '', slack: '' }, mail: undefined, messages: new SentMessageStore(registry) },
      },
    };
  }

  /** Runs something in a process that may die. */
  #as(doing: string, run: (context: ReturnType<SubscriptionWorld['contextOf']>) => Promise<void>): Promise<void> {
    this.#processes += 1;
    const process = startProcess(this.#deployment, `${doing}-${this.#processes}`);
    return new Promise((resolve) => {
      process.onDeath(resolve);
      this.#time.schedule(() => process.kill(), LONGEST_INVOCATION);
      run(this.contextOf(process, doing)).then(resolve, () => resolve());
    });
  }

  /**
   * At rest: each event was accepted by each receiver, or is recorded as dropped; the first times of a job's events are in
   * order; the feed read twice is equal; and the health counts what was dropped.
   * @returns how many were dropped
   */
  async #judge(): Promise<number> {
    const { feed, subscriptions } = this.contextOf(startProcess(this.#deployment, 'judge'), 'judge');
    const events = await wholeFeed(feed, 100);
    const again = await wholeFeed(feed, 3);
    if (JSON.stringify(events) !== JSON.stringify(again)) this.#violations.push('the feed read twice differs');
    if (events.length !== this.#appended) this.#violations.push(`${events.length} of ${this.#appended} events`);
    let dropped = 0;
    for (const name of NAMES) {
      const found = await subscriptions.get(name);
      if (found === undefined) throw new Error(`${name} is gone`);
      const health = await subscriptions.health(found);
      const rows = this.#deliveriesOf(found).filter(({ state }) => state === 'dropped');
      const given = new Set(rows.flatMap((row) => row.events.map(({ id }) => id)));
      if ((health?.dropped ?? 0) !== given.size) this.#violations.push(`${name}: ${health?.dropped} of ${given.size}`);
      if (health?.failing_since !== undefined) this.#violations.push(`${name} still fails: ${health.error}`);
      if (name === 'well' && given.size > 0) this.#violations.push(`${name} has lost ${given.size} events`);
      this.#judgeOrder(name, events, given);
      dropped += given.size;
    }
    return dropped;
  }

  /** All rows, also those that are no longer listed. */
  #deliveriesOf({ id, made }: Subscription): Delivery[] {
    const kind = `${SUBSCRIPTION_KINDS.deliveries}${id}#${made}`;
    return this.#deployment.registry.all().flatMap((item) => (item.kind === kind ? [item.delivery as Delivery] : []));
  }

  #judgeOrder(name: Name, events: readonly EventView[], given: ReadonlySet<string>): void {
    const first = [...new Set(this.#accepted.get(name))];
    const had = new Set(first);
    const lost = events.filter(({ id }) => !had.has(id) && !given.has(id));
    if (lost.length > 0) this.#violations.push(`${name} never got ${lost.length}, first ${lost[0]?.id}`);
    const known = new Map(events.map((event) => [event.id, event]));
    const last = new Map<string, number>();
    for (const id of first) {
      const event = known.get(id);
      const [job, sequence] = [String(event?.job_id), event?.sequence ?? 0];
      if (sequence < (last.get(job) ?? 0)) this.#violations.push(`${name} got ${id} after a later one of its job`);
      last.set(job, sequence);
    }
  }
}

async function wholeFeed(feed: EventFeed, limit: number): Promise<EventView[]> {
  const events: EventView[] = [];
  for (let place = await feed.since(0); ; ) {
    const found = await feed.read(place, limit, () => true);
    events.push(...found.events);
    if (!found.more) return events;
    place = found.place;
  }
}
