import { isTerminal, STATUSES, type Status } from '../../../lib/contract/statuses.ts';
import { EVENTS, type EventCounts, noEvents } from '../model/events.ts';
import { FAULTS, type FaultCounts } from '../model/faults.ts';
import { World, type WorldReport } from './world.ts';

/** The sum of many worlds. */
export interface Tally {
  worlds: number;
  lives: number;
  attempts: number;
  readonly ends: Partial<Record<Status, number>>;
  readonly calls: Record<string, number>;
  readonly events: EventCounts;
  readonly faults: FaultCounts;
  /** Worlds in which an invariant was broken. */
  readonly broken: WorldReport[];
}

export function newTally(): Tally {
  const faults = Object.fromEntries(FAULTS.map((kind) => [kind, 0])) as FaultCounts;
  return { worlds: 0, lives: 0, attempts: 0, ends: {}, calls: {}, events: noEvents(), faults, broken: [] };
}

export function add(tally: Tally, more: Omit<Tally, 'broken'> & { readonly broken: readonly WorldReport[] }): void {
  for (const name of ['worlds', 'lives', 'attempts'] as const) tally[name] += more[name];
  for (const kind of FAULTS) tally.faults[kind] += more.faults[kind];
  for (const kind of EVENTS) tally.events[kind] += more.events[kind];
  for (const [name, count] of Object.entries(more.calls)) tally.calls[name] = (tally.calls[name] ?? 0) + count;
  for (const status of STATUSES) tally.ends[status] = (tally.ends[status] ?? 0) + (more.ends[status] ?? 0);
  tally.broken.push(...more.broken);
}

/** Runs worlds of consecutive seeds until there are enough lives, the time is over, or too much is broken. */
export async function runWorlds(options: {
  seed: number;
  step: number;
  lives: number;
  milliseconds: number;
  /** Ends after so many broken worlds. */
  enough: number;
  /** Told after every world how many lives it had. */
  onWorld?: (lives: number) => void;
}): Promise<Tally> {
  const tally = newTally();
  const end = performance.now() + options.milliseconds;
  let next = options.seed;
  const isWanted = () => tally.lives < options.lives && performance.now() < end && tally.broken.length < options.enough;
  const lane = async () => {
    while (isWanted()) {
      const seed = next;
      next += options.step;
      const report = await new World(seed).run();
      options.onWorld?.(report.lives);
      add(tally, { ...report, worlds: 1, broken: report.violations.length > 0 ? [report] : [] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return tally;
}

/** Worlds of one thread that take turns, event by event: a turn of Node's loop costs as much as an event. */
const AT_ONCE = 8;

/** What has never happened, so that nothing was tried of it: kinds of faults, events, calls and ends. */
export function untried({ faults, events, calls, ends }: Tally): string[] {
  const known = Object.fromEntries(COMMANDS.map((name) => [name, calls[name] ?? 0]));
  // A draft may stay one; a job that waits or runs has not ended.
  const ended = Object.fromEntries(STATUSES.filter(isTerminal).map((status) => [status, ends[status] ?? 0]));
  return [faults, events, known, ended].flatMap((counts) =>
    Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [name] : [])),
  );
}

/** The calls that the modules make. */
const COMMANDS = [
  ...['GetCommand', 'PutCommand', 'UpdateCommand', 'DeleteCommand', 'QueryCommand'],
  ...['SendMessageCommand', 'ReceiveMessageCommand', 'ChangeMessageVisibilityCommand', 'DeleteMessageCommand'],
  ...['GetQueueAttributesCommand', 'GetQueueUrlCommand', 'HeadObjectCommand', 'ListObjectsV2Command'],
  ...['PutObjectCommand', 'GetObjectCommand', 'DeleteObjectsCommand'],
];
