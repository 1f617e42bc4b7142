import { EXPORT_KINDS, type ExportKind } from '../contract/export-kinds.ts';
import { isKnown } from '../contract/later-code.ts';
import { LIMITS } from '../contract/limits.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { columnsOf, headerLine, rowLine } from './csv.ts';
import type { ExportFile, ExportObjects } from './export-objects.ts';
import { type ExportRecord, isFree, isOpen, type Position } from './export-record.ts';
import { ROW_SCHEMAS, type RowContext, rowsOf } from './export-rows.ts';
import type { ExportStore } from './export-store.ts';
import { jsonLine } from './json-line.ts';

/*
 * How an export is made. An attempt takes it for the time of a lease, which each of its writes renews. It reads rows from
 * the oldest on and collects them until a part is full. Then it stores the part under a number that no other attempt ever
 * uses, and afterwards lists it in the export, together with the position behind its last row. That write is conditional
 * on the export being as this attempt left it. So the next attempt after a death continues behind the last listed part:
 * what was stored but not listed is never read, and each row is in one listed part.
 *
 * Once all is read, the parts are joined into whole files. A whole file appears with its last byte, and any attempt joins
 * the same one. It is offered when the export is `done`, which is written after it.
 *
 * An attempt that was thought dead fails at its next write and stops. One that finds the export deleted removes what it
 * has stored.
 */

export interface MakeContext extends RowContext {
  readonly exports: Pick<ExportStore, 'get' | 'replace'>;
  readonly objects: Pick<ExportObjects, 'putPart' | 'remove'>;
  /** Writes a whole file of an export. */
  readonly join: (record: ExportRecord, file: ExportFile, header: string) => Promise<void>;
  /** Resolves after so many ms. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** Default: 4 MB of both files. */
  readonly partBytes?: number;
}

/** `left`: nothing is to be done, or another attempt does it. `again`: the time was up, and another attempt may continue. */
export type Made = 'done' | 'failed' | 'left' | 'again';

/** An attempt without a write for so long counts as dead. */
const LEASE_MS = 45_000;
/** An attempt writes at least this often. */
const WRITE_MS = 10_000;
const PART_BYTES = 4_000_000;

/** The export was deleted, or another attempt has taken it. */
class TakenError extends Error {
  override readonly name = 'TakenError';
}

/**
 * Makes an export, or continues it, until it is whole or the time is up.
 * @param isTimeUp asked between batches of rows
 * @throws any error of the stores; the export stays open until `LIMITS.exports.attempts` in a row got no further
 */
export async function makeExport(context: MakeContext, id: string, isTimeUp: () => boolean): Promise<Made> {
  const found = await context.exports.get(id);
  if (found === undefined || !isFree(found, timestamp(context.clock.now()))) return 'left';
  if (found.fruitless >= LIMITS.exports.attempts) return await giveUp(context, found, GIVEN_UP);
  const claimed = await context.exports.replace(found, {
    ...{ status: 'running', attempt: found.attempt + 1, fruitless: found.fruitless + 1 },
    // The attempt before may be storing a part under the next number.
    next_part: found.next_part + 1,
    lease_until: leaseFrom(context),
  });
  if (claimed === undefined) return 'left';
  const attempt = new Attempt(context, claimed);
  try {
    return await attempt.run(isTimeUp);
  } catch (error) {
    if (!(error instanceof TakenError)) {
      await attempt.release().catch(() => undefined);
      throw error;
    }
    await clearDeleted(context, id);
    return 'left';
  }
}

const GIVEN_UP = `${LIMITS.exports.attempts} attempts in a row got no further; the service's log says why`;

/** Removes what was stored for an export that no longer exists. */
async function clearDeleted({ exports, objects }: MakeContext, id: string): Promise<void> {
  if ((await exports.get(id)) === undefined) await objects.remove(id, 'all');
}

async function giveUp(context: MakeContext, record: ExportRecord, error: string): Promise<Made> {
  const now = timestamp(context.clock.now());
  const failed: Partial<ExportRecord> = { status: 'failed', error, finished_at: now, parts: [], lease_until: now };
  if ((await context.exports.replace(record, failed)) === undefined) return 'left';
  await context.objects.remove(record.id, 'all');
  return 'failed';
}

function leaseFrom({ clock }: MakeContext): string {
  return timestamp(clock.now() + LEASE_MS);
}

/** One attempt at an export that it holds. */
class Attempt {
  readonly #context: MakeContext;
  #record: ExportRecord;
  #wroteAt: number;
  /** Rows behind the last listed part, by file. */
  #texts = new Map<ExportFile, Buffer[]>();
  #bytes = 0;
  #rows = 0;
  #position: Position | undefined;

  constructor(context: MakeContext, record: ExportRecord) {
    this.#context = context;
    this.#record = record;
    this.#wroteAt = context.clock.now();
    this.#position = record.position;
  }

  async run(isTimeUp: () => boolean): Promise<Made> {
    const { what } = this.#record;
    if (!isKnown<ExportKind>(EXPORT_KINDS, what)) return 'left';
    if (!this.#record.is_read) {
      const end = await this.#read(what, isTimeUp);
      if (end !== undefined) return end;
    }
    return await this.#join(what);
  }

  /** Lets another attempt take it at once, unless it is done. */
  async release(): Promise<void> {
    if (isOpen(this.#record)) await this.#write({ lease_until: timestamp(this.#context.clock.now() - 1) });
  }

  /** Reads all rows into parts. @returns undefined: all are read */
  async #read(kind: ExportKind, isTimeUp: () => boolean): Promise<Made | undefined> {
    const { partBytes = PART_BYTES, clock } = this.#context;
    const { rows: mostRows, bytes: mostBytes } = LIMITS.exports;
    for await (const { rows, position } of rowsOf(this.#context, kind, this.#record)) {
      this.#add(kind, rows);
      this.#position = position;
      if (this.#record.rows + this.#rows > mostRows)
        return await giveUp(this.#context, this.#record, `it has more than ${mostRows} rows; narrow the filter`);
      if (this.#record.bytes + this.#bytes > mostBytes)
        return await giveUp(this.#context, this.#record, `it is larger than ${mostBytes} bytes; narrow the filter`);
      if (this.#bytes >= partBytes || clock.now() - this.#wroteAt >= WRITE_MS) await this.#list({});
      if (isTimeUp()) {
        await this.#list({});
        await this.release();
        return 'again';
      }
    }
    await this.#list({ is_read: true });
    return undefined;
  }

  #add(kind: ExportKind, rows: readonly object[]): void {
    this.#rows += rows.length;
    this.#append('jsonl', rows.map(jsonLine).join(''));
    if (this.#record.format !== 'csv') return;
    const columns = columnsOf(ROW_SCHEMAS[kind]);
    this.#append('csv', rows.map((row) => rowLine(columns, row)).join(''));
  }

  #append(file: ExportFile, text: string): void {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    this.#texts.set(file, [...(this.#texts.get(file) ?? []), bytes]);
  }

  /** Stores the collected rows as a part, if there are any, and lists it with the position behind it. */
  async #list(changes: Partial<ExportRecord>): Promise<void> {
    const { rows, bytes, parts, next_part: number, id, position: known } = this.#record;
    const contents = new Map([...this.#texts].map(([file, texts]) => [file, Buffer.concat(texts)] as const));
    const isNew = this.#rows > 0 || this.#position !== known || changes.is_read === true;
    if (contents.size > 0) await this.#context.objects.putPart(id, number, contents);
    const sizes = { jsonl: contents.get('jsonl')?.length ?? 0, csv: contents.get('csv')?.length ?? 0 };
    await this.#write({
      ...(contents.size > 0 && { parts: [...parts, { number, ...sizes }], next_part: number + 1 }),
      ...(this.#position !== undefined && { position: this.#position }),
      ...(isNew && { fruitless: 0 }),
      ...{ rows: rows + this.#rows, bytes: bytes + this.#bytes },
      ...changes,
    });
    this.#texts = new Map();
    this.#bytes = 0;
    this.#rows = 0;
  }

  async #join(kind: ExportKind): Promise<Made> {
    const files = this.#record.format === 'csv' ? (['jsonl', 'csv'] as const) : (['jsonl'] as const);
    for (const file of files) {
      const header = file === 'csv' ? headerLine(columnsOf(ROW_SCHEMAS[kind])) : '';
      await this.#whileHeld(this.#context.join(this.#record, file, header));
    }
    const now = timestamp(this.#context.clock.now());
    await this.#write({ status: 'done', finished_at: now, parts: [] });
    await this.#context.objects.remove(this.#record.id, 'parts');
    return 'done';
  }

  /** Renews the lease while something takes long. */
  async #whileHeld(work: Promise<void>): Promise<void> {
    let isOver = false;
    const done = work.finally(() => {
      isOver = true;
    });
    for (;;) {
      await Promise.race([done, this.#context.pause(WRITE_MS)]);
      if (isOver) return;
      await this.#write({});
    }
  }

  /** @throws TakenError */
  async #write(changes: Partial<ExportRecord>): Promise<void> {
    const next = await this.#context.exports.replace(this.#record, {
      lease_until: leaseFrom(this.#context),
      ...changes,
    });
    if (next === undefined || !(isOpen(next) || changes.status !== undefined)) throw new TakenError();
    this.#record = next;
    this.#wroteAt = this.#context.clock.now();
  }
}
