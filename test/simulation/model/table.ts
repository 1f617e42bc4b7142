import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { TableSpec } from '../../../lib/platform/aws/tables.ts';
import { conditionHolds, type Item, type Placeholders } from './expressions.ts';
import { ModelIndex } from './table-index.ts';
import { updated } from './update-expressions.ts';

/** How stale an eventually consistent read may be, decided for each call. */
export interface Staleness {
  /** Milliseconds until a write appears in an index. */
  indexDelay(): number;
  /** Milliseconds that an eventually consistent read lags. */
  readLag(): number;
  /** The maximum of items on a page of a query. */
  pageSize(): number;
}

export interface Write {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

type Condition = Placeholders & {
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
};

interface Version {
  readonly at: number;
  readonly item: Item | undefined;
}

/** How many milliseconds of an item's past are kept for reads that lag. */
const PAST = 120_000;

/** A table as DynamoDB keeps it: conditional writes, consistent and lagging reads, indexes that follow later. */
export class ModelTable {
  readonly spec: TableSpec;
  readonly #now: () => number;
  readonly #staleness: Staleness;
  readonly #onWrite: (write: Write) => void;
  readonly #items = new Map<string, Item>();
  readonly #past = new Map<string, Version[]>();
  readonly #indexes: ReadonlyMap<string, ModelIndex>;

  constructor(spec: TableSpec, options: { now: () => number; staleness: Staleness; onWrite: (write: Write) => void }) {
    this.spec = spec;
    this.#now = options.now;
    this.#staleness = options.staleness;
    this.#onWrite = options.onWrite;
    this.#indexes = new Map(spec.indexes.map((index) => [index.name, new ModelIndex(index, spec.partitionKey)]));
  }

  /** All items as they now are. */
  all(): Item[] {
    return [...this.#items.values()];
  }

  get(key: Item, consistent: boolean): Item | undefined {
    const id = this.#id(key);
    const lag = consistent ? 0 : this.#staleness.readLag();
    if (lag <= 0) return this.#items.get(id);
    const since = this.#now() - lag;
    return this.#past.get(id)?.findLast(({ at }) => at <= since)?.item;
  }

  /** @throws ConditionalCheckFailedException if the condition does not hold for the item with this key */
  check(key: Item, condition: Condition): void {
    this.#check(this.#items.get(this.#id(key)), condition);
  }

  put(item: Item, condition: Condition): void {
    const before = this.#items.get(this.#id(item));
    this.#check(before, condition);
    this.#write(before, definedOnly(item));
  }

  /** @returns the item as it then is. */
  update(key: Item, expression: string, condition: Condition): Item {
    const before = this.#items.get(this.#id(key));
    this.#check(before, condition);
    const after = updated(expression, before ?? key, condition);
    this.#write(before, after);
    return after;
  }

  delete(key: Item, condition: Condition): void {
    const before = this.#items.get(this.#id(key));
    this.#check(before, condition);
    if (before !== undefined) this.#write(before, undefined);
  }

  query(request: {
    index: string | undefined;
    partition: string;
    between?: { readonly low: string; readonly high: string } | undefined;
    forward: boolean;
    limit: number;
    from: Item | undefined;
  }): { items: Item[]; last: Item | undefined } {
    const limit = Math.min(request.limit, this.#staleness.pageSize());
    if (request.index !== undefined) {
      const index = this.#indexes.get(request.index);
      if (index === undefined) throw new Error(`the model has no index ${request.index}`);
      return index.query(this.#now(), { ...request, limit });
    }
    const { partitionKey, sortKey } = this.spec;
    if (sortKey === undefined || request.from !== undefined) throw new Error('the model does not do such a query');
    const { low = '', high = '\u{10ffff}' } = request.between ?? {};
    const isWithin = (key: string) => key >= low && key <= high;
    const items = this.all().filter(
      (item) => item[partitionKey] === request.partition && isWithin(String(item[sortKey])),
    );
    items.sort((a, b) => (String(a[sortKey]) < String(b[sortKey]) ? -1 : 1));
    return { items: request.forward ? items : items.reverse(), last: undefined };
  }

  /** The partition key that a query asks for, under whatever name. */
  partitionKeyOf(index: string | undefined): string {
    return index === undefined ? this.spec.partitionKey : (this.#indexes.get(index)?.spec.partitionKey ?? '');
  }

  #id(key: Item): string {
    const { partitionKey, sortKey } = this.spec;
    const parts = [key[partitionKey], ...(sortKey === undefined ? [] : [key[sortKey]])];
    if (parts.some((part) => typeof part !== 'string' || part === ''))
      throw Object.assign(new Error('The provided key element does not match the schema'), {
        name: 'ValidationException',
      });
    return parts.join('\0');
  }

  #check(before: Item | undefined, condition: Condition): void {
    const { ConditionExpression: text } = condition;
    if (text === undefined || conditionHolds(text, before ?? {}, condition)) return;
    const isShown = condition.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && before !== undefined;
    throw new ConditionalCheckFailedException({
      $metadata: {},
      message: 'The conditional request failed',
      ...(isShown && { Item: marshall(before) }),
    });
  }

  #write(before: Item | undefined, after: Item | undefined): void {
    const id = this.#id(after ?? before ?? {});
    const now = this.#now();
    if (after === undefined) this.#items.delete(id);
    else this.#items.set(id, after);
    const past = (this.#past.get(id) ?? []).filter(
      ({ at }, n, all) => (all[n + 1]?.at ?? now) > now - PAST || at > now,
    );
    past.push({ at: now, item: after });
    this.#past.set(id, past);
    for (const index of this.#indexes.values()) index.write(id, after, now + this.#staleness.indexDelay());
    this.#onWrite({ before, after });
  }
}

function definedOnly(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));
}
