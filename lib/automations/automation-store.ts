import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { LIMITS } from '../contract/limits.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import { queriedItems } from '../platform/aws/queried-items.ts';
import { eventRow } from '../platform/event-rows.ts';
import type { Registry } from '../platform/registry.ts';
import { registryItems, registryPage } from '../platform/registry-page.ts';
import { projectIdOf } from '../projects/projects.ts';
import { type Automation, automationSchema, type Run, runSchema, wakesAt } from './automation.ts';
import { eventsOfAutomation } from './automation-events.ts';
import { DeliveryStore, type Writes } from './hooks/delivery-store.ts';
import { HookSecretStore } from './hooks/hook-secrets.ts';

/*
 * Automations in the registry: one item each, a row for each entry of its history, and a row in the partition of those
 * that have to be looked at, whose id begins with the time. The minute's pass reads the rows of that partition that are
 * due, and while none is, that is one request. A transaction changes an automation together with its rows, so the
 * partition always has exactly one row for each automation that has something to do.
 */

const KIND = 'automation';
const DUE_KIND = 'automation-due';

/** Sorts before all times: the time zone data by which the instants in the partition were computed. */
const ZONES_ID = '!zones';

/** Rows that one request of the pass reads. */
const DUE_PAGE = 100;

/** What a change of an automation writes besides. */
interface Beside {
  readonly run?: Run;
  /** What else is written with it. */
  readonly also?: Writes;
  /** The run is the first late one of a pass. */
  readonly isLate?: boolean | undefined;
}

/** The id of an automation: the one of its name, or the id itself. */
export function automationIdOf(reference: string): string {
  return projectIdOf(reference);
}

/** What the pass has to look at: an automation, or a delivery to it. `row`: where it stands. */
interface Due {
  readonly automation: string;
  readonly delivery: string | undefined;
  readonly row: string;
}

export class AutomationStore {
  readonly deliveries: DeliveryStore;
  readonly secrets: HookSecretStore;
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #tables: Registry;

  constructor(options: Registry) {
    this.#tables = options;
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.secrets = new HookSecretStore(options);
    this.deliveries = new DeliveryStore(options, DUE_KIND);
  }

  /** As of the last acknowledged write. */
  async get(id: string): Promise<Automation | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id }, ConsistentRead: true }),
    );
    return Item && automationSchema.parse(Item);
  }

  async page(query: PageQuery): Promise<{ items: Automation[]; nextCursor: string | null }> {
    const { items, nextCursor } = await registryPage(this.#registry, KIND, query);
    return { items: items.map((item) => automationSchema.parse(item)), nextCursor };
  }

  async *all(): AsyncGenerator<Automation> {
    for await (const item of registryItems(this.#registry, KIND)) yield automationSchema.parse(item);
  }

  /**
   * Replaces `known` with `next`, unless another writer was faster.
   * @param known undefined: there is none yet
   * @returns what is stored; undefined on a conflict
   */
  async replace(
    known: Automation | undefined,
    next: Omit<Automation, 'version' | 'change_id'>,
    { run, isLate, also = [] }: Beside = {},
  ): Promise<Automation | undefined> {
    const change_id = randomBytes(6).toString('base64url');
    const written: Automation = { ...next, version: (known?.version ?? 0) + 1, change_id };
    const writes: Writes = [
      { Put: { TableName: this.#tableName, Item: itemOf(written), ...conditionOn(known) } },
      ...this.#moves(known, written),
      ...(run === undefined ? [] : [{ Put: { TableName: this.#tableName, Item: runItem(written, run) } }]),
      ...also,
      ...eventsOfAutomation(known, written, { run, isLate }).map((event) =>
        eventRow(this.#tables, `${written.id}#${written.made}#${written.version}`, event),
      ),
    ];
    const isDone = await this.#transact(writes);
    // When the SDK repeats a write that was applied but not answered, the condition fails.
    return isDone || (await this.get(next.id))?.change_id === change_id ? written : undefined;
  }

  /** @returns false on a conflict */
  async delete(known: Automation, also: Writes = []): Promise<boolean> {
    const key = { kind: KIND, id: known.id };
    const writes: Writes = [
      { Delete: { TableName: this.#tableName, Key: key, ...conditionOn(known) } },
      ...this.#moves(known, undefined),
      ...also,
    ];
    return await this.#transact(writes);
  }

  /** A page of the history, the newest first. @param before the row of the page before */
  async runs(automation: Automation, limit: number, before?: string): Promise<{ runs: Run[]; last: string | null }> {
    const kind = runsKind(automation);
    const { Items = [], LastEvaluatedKey } = await this.#table.send(
      new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'kind = :kind',
        ExpressionAttributeValues: { ':kind': kind },
        ScanIndexForward: false,
        Limit: limit,
        ...(before !== undefined && { ExclusiveStartKey: { kind, id: before } }),
      }),
    );
    const last: unknown = LastEvaluatedKey?.id;
    return { runs: Items.map((item) => runSchema.parse(item)), last: typeof last === 'string' ? last : null };
  }

  /** What is to be looked at now, and `zones`: the version that their instants were computed by. */
  async due(now: string): Promise<{ readonly found: AsyncGenerator<Due>; readonly zones: string | undefined }> {
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind AND #id BETWEEN :first AND :now',
      ExpressionAttributeNames: { '#id': 'id' },
      // Ids have an automation's id behind the time.
      ExpressionAttributeValues: { ':kind': DUE_KIND, ':first': ZONES_ID, ':now': `${now}~` },
      Limit: DUE_PAGE,
    });
    const first = await items.next();
    const isZones = first.done !== true && first.value.id === ZONES_ID;
    const zones = isZones ? String(first.value.zones) : undefined;
    const found = async function* () {
      if (first.done !== true && !isZones) yield dueOf(first.value);
      for await (const item of items) yield dueOf(item);
    };
    return { found: found(), zones };
  }

  /** Notes the version of the time zone data. @param options.first only if none is noted */
  async noteZones(zones: string, { first = false }: { readonly first?: boolean } = {}): Promise<void> {
    const note = new PutCommand({
      TableName: this.#tableName,
      Item: { kind: DUE_KIND, id: ZONES_ID, zones },
      ...(first && { ConditionExpression: 'attribute_not_exists(id)' }),
    });
    await this.#table.send(note).catch((error: unknown) => {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    });
  }

  get #registry(): Registry {
    return { table: this.#table, registryTable: this.#tableName };
  }

  /** Moves the row of an automation in the partition of those to look at. */
  #moves(before: Automation | undefined, after: Automation | undefined): Writes {
    const [from, to] = [before && dueId(before), after && dueId(after)];
    if (from === to) return [];
    const at = (id: string) => ({ kind: DUE_KIND, id });
    return [
      ...(from === undefined ? [] : [{ Delete: { TableName: this.#tableName, Key: at(from) } }]),
      ...(to === undefined
        ? []
        : [{ Put: { TableName: this.#tableName, Item: { ...at(to), automation: after?.id } } }]),
    ];
  }

  /** Adds a delivery that no key is known of. @returns false if one is, or on a conflict */
  async addDelivery(...delivery: Parameters<DeliveryStore['adding']>): Promise<boolean> {
    return await this.#transact(this.deliveries.adding(...delivery));
  }

  /** Removes a delivery whose automation is gone from those to look at. */
  async forget({ row }: Due): Promise<void> {
    await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: { kind: DUE_KIND, id: row } }));
  }

  async #transact(writes: Writes): Promise<boolean> {
    try {
      await this.#table.send(new TransactWriteCommand({ TransactItems: writes }));
      return true;
    } catch (error) {
      if (error instanceof TransactionCanceledException) return false;
      throw error;
    }
  }
}

function itemOf(automation: Automation) {
  return { kind: KIND, ...automation, job: JSON.stringify(automation.job) };
}

function dueOf({ id, automation, delivery }: Readonly<Record<string, unknown>>): Due {
  return {
    automation: String(automation),
    delivery: typeof delivery === 'string' ? delivery : undefined,
    row: String(id),
  };
}

function dueId(automation: Automation): string | undefined {
  const at = wakesAt(automation);
  return at === undefined ? undefined : `${at}#${automation.id}`;
}

function runsKind({ id, made }: Automation): string {
  return `automation-runs#${id}#${made}`;
}

function runItem(automation: Automation, run: Run) {
  const expires = Math.ceil(Date.parse(run.at) / 1000) + LIMITS.automations.runsDays * 86_400;
  const id = `${run.due}${suffixOf(run)}`;
  return { kind: runsKind(automation), id, ...run, expires_at_epoch: expires };
}

function conditionOn(known: Automation | undefined) {
  if (known === undefined) return { ConditionExpression: 'attribute_not_exists(id)' };
  // A later automation of its name comes to the same version.
  return {
    ConditionExpression: '#version = :version AND made = :made',
    ExpressionAttributeNames: { '#version': 'version' },
    ExpressionAttributeValues: { ':version': known.version, ':made': known.made },
  };
}

/** Tells runs of one time apart, whose triggers are no schedule. */
function suffixOf({ manual, delivery, event }: Run): string {
  if (event !== undefined) return `e${event.view.id}`;
  if (delivery !== undefined) return `h${delivery.slice(-8)}`;
  return manual === true ? 'm' : '';
}
