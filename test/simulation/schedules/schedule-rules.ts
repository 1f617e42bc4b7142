import type { Automation, Run } from '../../../lib/automations/automation.ts';
import { delayOf, dueAfter } from '../../../lib/automations/schedule.ts';
import type { Item } from '../model/expressions.ts';

const RUNS = /^automation-runs#/;

/**
 * Judges each write: whatever moves an automation past due instants records exactly these, in the same transaction, and
 * no entry of the history is replaced but by its failure.
 */
export class ScheduleRules {
  /** Due instants that were decided. */
  instants = 0;
  /** Entries by outcome. */
  readonly outcomes: Record<string, number> = {};
  readonly #tellFault: (fault: string) => void;
  /** The last write of an automation that moved it, until its entry is written. */
  #moved: { readonly before: Automation; readonly after: Automation } | undefined;

  constructor(tellFault: (fault: string) => void) {
    this.#tellFault = tellFault;
  }

  onWrite(before: Item | undefined, after: Item | undefined): void {
    const kind = String((after ?? before)?.kind);
    if (kind === 'automation') this.#onAutomation(before as Automation | undefined, after as Automation | undefined);
    else if (RUNS.test(kind) && after !== undefined) this.#onRun(before as Run | undefined, after as Run & Item);
  }

  /** No entry is owed. */
  expectNothingOpen(): void {
    if (this.#moved !== undefined)
      this.#tellFault(`${this.#moved.before.id} passed ${this.#moved.before.next_due} without an entry`);
    this.#moved = undefined;
  }

  #onAutomation(before: Automation | undefined, after: Automation | undefined): void {
    this.expectNothingOpen();
    if (before !== undefined && after !== undefined && before.made !== after.made)
      this.#tellFault(`${after.id}: one that was deleted has replaced a later one of its name`);
    if (before?.next_due === undefined || after === undefined || before.next_due === after.next_due) return;
    const isEdit = before.edits !== after.edits;
    // A change may move an instant that has not come.
    if (isEdit && before.next_due > after.updated_at) return;
    this.#moved = { before, after };
  }

  #onRun(before: Run | undefined, run: Run & Item): void {
    this.outcomes[run.outcome] = (this.outcomes[run.outcome] ?? 0) + 1;
    if (before !== undefined) {
      const isFailure = before.outcome === 'fired' && run.outcome === 'failed' && before.due === run.due;
      if (!isFailure) this.#tellFault(`${run.kind} ${run.due}: ${before.outcome} was replaced by ${run.outcome}`);
      return;
    }
    if (run.manual === true) return;
    const moved = this.#moved;
    this.#moved = undefined;
    const fault = moved === undefined ? 'an entry for no instant' : faultOfEntry(moved.before, moved.after, run);
    if (fault !== undefined) this.#tellFault(`${run.kind} ${run.due}: ${fault}`);
    this.instants += run.count ?? 1;
  }
}

function faultOfEntry(before: Automation, after: Automation, run: Run): string | undefined {
  if (run.due !== before.next_due) return `the first undecided instant was ${before.next_due}`;
  const [first, last] = [Date.parse(run.due), Date.parse(run.last_due ?? run.due)];
  const until = before.enabled_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(before.enabled_until);
  const count = 1 + dueAfter(before.schedule, first, 1_000_000, last).length;
  if (count !== (run.count ?? 1)) return `it stands for ${count} instants, and says ${run.count ?? 1}`;
  if (last > until) return `it was enabled until ${before.enabled_until}`;
  const [next] = dueAfter(before.schedule, last, 1, until);
  if (before.edits === after.edits && after.paused === undefined) {
    const expected = next === undefined ? undefined : new Date(next).toISOString();
    if (after.next_due !== expected) return `then comes ${expected}, not ${after.next_due}`;
    return undefined;
  }
  // While it is paused or disabled nothing is due, also what its jitter would have started later.
  const startsAt = next === undefined ? undefined : next + delayOf(before.id, before.jitter) * 1000;
  const isOver = startsAt !== undefined && startsAt <= Date.parse(after.paused?.at ?? after.updated_at);
  return isOver && run.count !== 1_000 ? `the instant that starts at ${startsAt} is left out` : undefined;
}
