import type { Automation } from '../../../../lib/automations/automation.ts';
import { AutomationStore } from '../../../../lib/automations/automation-store.ts';
import { AUTOMATION_READER } from '../../../../lib/automations/events/event-trigger.ts';
import { openAutomation } from '../../../../lib/automations/feed/start-by-event.ts';
import { editAutomation } from '../../../../lib/automations/write-automation.ts';
import type { EventView } from '../../../../lib/contract/schemas/event.ts';
import type { EventTrigger } from '../../../../lib/contract/schemas/event-trigger.ts';
import { EventFeed } from '../../../../lib/events/event-feed.ts';
import { FeedReaders } from '../../../../lib/events/feed-readers.ts';
import { readOn } from '../../../../lib/events/read-on.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { EVENT_KINDS } from '../../../../lib/platform/aws/tables.ts';
import { ModelClient } from '../../model/client.ts';
import { ENV } from '../../model/environment.ts';
import type { Item } from '../../model/expressions.ts';
import type { SimulatedProcess } from '../../model/simulated-process.ts';
import { PROFILES } from '../../rules/account-rules.ts';
import { readAll } from '../../rules/event-rules.ts';
import { EventStartRules } from '../../rules/event-start-rules.ts';
import type { ModelDeployment } from '../deployment.ts';
import { startProcess, watchOf } from '../workers.ts';

/** Lambda ends an invocation after so many milliseconds. */
const LONGEST_INVOCATION = 300_000;

/** Before that, a function asks to be called again. */
const SPARE = 60_000;

/** Longer than the longest allowed chain. */
const CHAIN = 7;

const ofProfile = { profile: PROFILES[0] };

/** The triggers of a world, by the automation's id. */
const SETS: readonly Readonly<Record<string, EventTrigger>>[] = [
  { after: { types: ['job.succeeded'], filter: { ...ofProfile, project: 'p2' } } },
  { repair: { types: ['job.failed'] }, tell: { types: ['question.opened'] } },
  { again: { types: ['job.succeeded', 'job.failed'], filter: ofProfile } },
  {
    there: { types: ['job.succeeded', 'job.failed'], filter: { project: 'p2' } },
    back: { types: ['job.succeeded', 'job.failed', 'job.cancelled'], filter: { automation: 'there' } },
  },
  Object.fromEntries(
    Array.from({ length: CHAIN }, (_, at): [string, EventTrigger] => [
      `step-${at}`,
      {
        types: ['job.succeeded', 'job.failed', 'job.cancelled'],
        filter: at === 0 ? { ...ofProfile, project: 'p2' } : { automation: `step-${at - 1}` },
      },
    ]),
  ),
];

/**
 * Automations that events start, beside all else. The function that runs their readers is killed between its steps,
 * called twice at once, late or not at all; the minute's pass makes up for it.
 */
export class ModelEventAutomations {
  readonly #deployment: ModelDeployment;
  readonly #rules: EventStartRules;
  readonly #onFault: (fault: string) => void;
  readonly #ids: readonly string[];
  #calls = 0;
  #isChanging = true;

  constructor(deployment: ModelDeployment, onFault: (fault: string) => void) {
    this.#deployment = deployment;
    this.#onFault = onFault;
    this.#rules = new EventStartRules(deployment);
    deployment.wakeReaders = async (process, types) => await this.#wake(process, types);
    const triggers = deployment.random.pick(SETS);
    this.#ids = Object.keys(triggers);
    for (const [id, event] of Object.entries(triggers)) this.#add(id, event);
  }

  /** Disables and enables them until the faults are over. */
  async start(): Promise<void> {
    const { time, faults, random } = this.#deployment;
    while (faults.active) {
      await time.sleep(random.skewed(60_000, 3_600_000));
      if (!faults.active) break;
      const [id, enabled] = [random.pick(this.#ids), random.chance(0.7)];
      await this.#run('edit automation', async ({ readers, ...context }) => {
        await editAutomation({ ...context, readers }, id, { enabled }, { owner: OWNER, dryRun: false });
      });
    }
    this.#isChanging = false;
  }

  /** Whether the readers have read all events, and each job that follows is there. */
  get areDone(): boolean {
    const items = this.#deployment.registry.all();
    const isOpen = ({ kind, firing }: Item) => kind === 'automation' && firing !== undefined;
    const ofFeed = items.filter(({ kind }) => kind === EVENT_KINDS.head);
    const packets = Number(ofFeed.find(({ packets: count }) => count !== undefined)?.packets ?? 0);
    const isBehind = ({ place, holder }: Item) =>
      place !== undefined && (holder !== undefined || (place as { packet: number }).packet <= packets);
    return !this.#isChanging && !items.some(isOpen) && !ofFeed.some(isBehind);
  }

  onWrite(before: Item | undefined, after: Item | undefined): void {
    const fault = this.#rules.faultOfWrite(before, after);
    if (fault !== undefined) this.#onFault(fault);
  }

  faultOfJob(before: Job | undefined, after: Job): string | undefined {
    return this.#rules.faultOfJob(before, after);
  }

  async faultsAtRest(): Promise<string[]> {
    const { feed } = this.contextOf(startProcess(this.#deployment, 'judge of events'), 'judge');
    const events: EventView[] = await readAll(feed, 100);
    return this.#rules.faultsAtRest(events);
  }

  /** Calls readers after an append, and in the minute's pass. */
  async #wake(process: SimulatedProcess, types: ReadonlySet<string> | undefined): Promise<void> {
    const { faults, random, time } = this.#deployment;
    const { readers } = this.contextOf(process, types === undefined ? 'watch' : 'count');
    for (const id of await (types === undefined ? readers.due() : readers.waitingFor(types))) {
      if (faults.happens('message lost', 0.1)) continue;
      const calls = faults.happens('message doubled', 0.1) ? 2 : 1;
      for (let n = 0; n < calls; n += 1) {
        if (faults.active && random.chance(0.2)) time.schedule(() => this.#read(id), random.skewed(100, 300_000));
        else this.#read(id);
      }
    }
  }

  #read(id: string): void {
    const { time } = this.#deployment;
    const end = time.now + LONGEST_INVOCATION - SPARE;
    void this.#run('read feed', async (context) => {
      const open = async () => await openAutomation(context, id.slice(AUTOMATION_READER.length + 1));
      const reading = await readOn(context, id, open, () => time.now > end);
      if (reading === 'again') this.#read(id);
    });
  }

  #add(id: string, event: EventTrigger): void {
    const { random, time, registry } = this.#deployment;
    const at = timestamp(time.wall);
    const automation: Automation = {
      ...{ id, name: id, made: 'made', project: random.pick(['p1', 'p2', 'p3']), owner: OWNER, event },
      job: { prompt: 'say {{event.job_id}}', profile: random.pick(PROFILES) },
      overlap: random.pick(['skip', 'queue', 'queue', 'queue'] as const),
      ...{ missed: 'latest', jitter: 0, pause_after_failures: random.pick([0, 0, 5]), enabled: true },
      ...{ jobs: [], failures: 0, created_at: at, updated_at: at, version: 1, edits: 1, change_id: 'first' },
    };
    registry.put({ kind: 'automation', ...automation, job: JSON.stringify(automation.job) }, {});
    const reader = { place: { packet: 1, taken: 0 }, types: [...event.types], added: 'first' };
    registry.put({ kind: EVENT_KINDS.head, id: `reader#${AUTOMATION_READER}:${id}`, ...reader }, {});
  }

  /** Runs something in a process that may die. */
  #run(doing: string, run: (context: ReturnType<ModelEventAutomations['contextOf']>) => Promise<void>): Promise<void> {
    this.#calls += 1;
    const process = startProcess(this.#deployment, `${doing.replace(' ', '-')}-${this.#calls}`);
    return new Promise((resolve) => {
      process.onDeath(resolve);
      this.#deployment.time.schedule(() => process.kill(), LONGEST_INVOCATION);
      run(this.contextOf(process, doing)).then(resolve, () => resolve());
    });
  }

  contextOf(process: SimulatedProcess, doing: string) {
    const actor = { id: process.name, doing };
    const { table } = new ModelClient(this.#deployment, process, actor);
    const registry = { table, registryTable: ENV.REGISTRY_TABLE, clock: process.clock };
    const feed = new EventFeed(registry);
    const readers = new FeedReaders({ ...registry, feed });
    const automations = new AutomationStore({ ...registry, jobsTable: ENV.JOBS_TABLE });
    return { ...watchOf(this.#deployment, process, actor), automations, feed, readers };
  }
}

const OWNER = { name: 'token:client' };
