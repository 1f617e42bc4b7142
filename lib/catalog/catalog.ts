/**
 * The catalog: named entries of several kinds that jobs refer to, each an item of the registry. Documents of entries are
 * imported and exported, entries are removed by name. One object a kind holds all that differs between kinds, and `KINDS`
 * lists these objects.
 *
 * Each change is one transaction of the changed items and one marker, whose version detects concurrent changes and whose
 * counters hold the number of imported entries. So a limit can't be exceeded by imports at the same time, and a document
 * is applied as a whole or not at all.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { type FieldProblem, InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import {
  CATALOG_LIST_NAMES,
  type CatalogList,
  type ConfigDocument,
  type ImportResult,
  LISTS_IN_WORDS,
} from '../contract/schemas/config.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import { registryItems } from '../platform/registry-page.ts';
import { untilFirst } from '../platform/until-first.ts';
import type { CatalogItem, CatalogKind, EntryOf, WorkerFacts } from './catalog-kind.ts';
import { nextVersion, versionKey, versionKind } from './entry-versions.ts';
import { PROFILES } from './profiles.ts';
import { RULES } from './rules.ts';
import { TEMPLATES } from './templates.ts';

const KINDS: { readonly [L in CatalogList]: CatalogKind<L> } = {
  rules: RULES,
  profiles: PROFILES,
  templates: TEMPLATES,
};

type Numbers = Readonly<Partial<Record<CatalogList, number>>>;

const MARKER = { kind: 'catalog', id: 'state' } as const;

/** Beside the version, the number of imported entries of each list. A list without entries may be absent. */
const markerSchema = z.object({ version: z.number() }).catchall(z.number());
type Marker = z.output<typeof markerSchema>;

/** The registry's item kinds that an import reads and writes; `*` at the end of one matches any suffix. */
export function catalogItemKinds(): string[] {
  const kindsOf = ({ kind, isVersioned }: Pick<CatalogKind<CatalogList>, 'kind' | 'isVersioned'>) =>
    isVersioned === true ? [kind, versionKind(kind, '*')] : [kind];
  return [MARKER.kind, ...Object.values(KINDS).flatMap(kindsOf)];
}

/** What in a document the workers of a deployment can't provide. */
export function catalogProblems(document: ConfigDocument, workers: WorkerFacts): FieldProblem[] {
  const problemsOf = <L extends CatalogList>(list: L): FieldProblem[] =>
    KINDS[list].problems?.(entriesOf(document, list), workers) ?? [];
  return CATALOG_LIST_NAMES.flatMap((list) => problemsOf(list));
}

/** One entry of a document, compared with the registry's entry of its name. */
interface Compared {
  readonly list: CatalogList;
  readonly name: string;
  readonly change: 'created' | 'updated' | 'unchanged';
  readonly isNew: boolean;
  readonly item: CatalogItem;
  /** What a change of it writes. */
  readonly writes: readonly CatalogItem[];
}

type CatalogContext = Registry & { readonly clock: Clock };

/**
 * Applies a document's entries to the registry in one transaction; entries that it doesn't name stay.
 * @param options.dryRun only reports the changes
 * @throws ApiError `invalid_request` for more changes than a transaction holds, more entries than a deployment may
 *   have, or what the workers can't provide
 */
export async function importConfig(
  context: CatalogContext,
  document: ConfigDocument,
  { dryRun, ...workers }: WorkerFacts & { readonly dryRun: boolean },
): Promise<ImportResult> {
  const problems = catalogProblems(document, workers);
  if (problems.length > 0) throw new InvalidFieldError(problems);
  const entries = await applyDocument(context, document, dryRun);
  return { dry_run: dryRun, ...namesByChange(entries) };
}

/** Writes one entry. @throws ApiError `invalid_request` for more entries than a deployment may have */
export async function writeEntry<L extends CatalogList>(
  context: CatalogContext,
  list: L,
  entry: EntryOf<L>,
): Promise<Pick<Compared, 'change' | 'item'>> {
  const [written] = await applyDocument(context, { [list]: [entry] }, false);
  if (written === undefined) throw new Error(`no entry of ${list} was written`);
  return written;
}

async function applyDocument(
  context: CatalogContext,
  document: ConfigDocument,
  dryRun: boolean,
): Promise<readonly Compared[]> {
  return await changeCatalog(context, async (marker) => {
    const entries = await compared(context, document);
    const changed = entries.filter(({ change }) => change !== 'unchanged');
    const added = Object.fromEntries(
      CATALOG_LIST_NAMES.map((list) => [list, entries.filter((entry) => entry.list === list && entry.isNew).length]),
    );
    checkLimits(changed, addedTo(marker, added));
    if (dryRun || changed.length === 0) return { answer: entries };
    const writes = changed.flatMap((entry) => entry.writes);
    const items = writes.map((Item) => ({ Put: { TableName: context.registryTable, Item } }));
    return { answer: entries, write: { items, added } };
  });
}

/**
 * Every imported entry, as a document whose import changes nothing. A stored profile with a variable that is now
 * rejected is exported unchanged; its import answers 400.
 */
export async function exportConfig(registry: Registry): Promise<ConfigDocument> {
  const entriesIn = async <L extends CatalogList>(list: L): Promise<EntryOf<L>[]> => {
    const entries: EntryOf<L>[] = [];
    for await (const item of registryItems(registry, KINDS[list].kind)) {
      const entry = KINDS[list].exported(item);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  };
  return Object.fromEntries(
    await Promise.all(CATALOG_LIST_NAMES.map(async (list) => [list, await entriesIn(list)] as const)),
  );
}

/** Removes an entry. @returns what its kind answers. @throws ApiError `not_found`, or why it can't be removed */
export async function removeEntry<L extends CatalogList, Stored>(
  { table, registryTable }: Registry,
  { list, kind, removed }: CatalogKind<L, Stored>,
  id: string,
  deployment: { readonly defaultProfile: string },
): Promise<Stored> {
  return await changeCatalog({ table, registryTable }, async () => {
    const Key = { kind, id };
    const before = await table.send(new GetCommand({ TableName: registryTable, Key, ConsistentRead: true }));
    const { answer, item } = removed(id, before.Item, deployment);
    const write =
      item === undefined
        ? { Delete: { TableName: registryTable, Key } }
        : { Put: { TableName: registryTable, Item: item } };
    return { answer, write: { items: [write], added: { [list]: -1 } } };
  });
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The answer of a change, and what it writes, if anything. */
interface CatalogChange<T> {
  readonly answer: T;
  readonly write?: { readonly items: readonly TransactItem[]; readonly added: Numbers };
}

/**
 * Changes entries in one transaction; a concurrent change makes it run `judge` again.
 * @throws ApiError `unavailable` when concurrent changes win every attempt; any error of `judge`
 */
export async function changeCatalog<T>(
  registry: Registry,
  judge: (marker: Marker) => Promise<CatalogChange<T>>,
): Promise<T> {
  return await untilFirst(async () => {
    const marker = await readMarker(registry);
    const { answer, write } = await judge(marker);
    if (write === undefined) return { result: answer };
    return (await apply(registry, marker, write)) ? { result: answer } : undefined;
  });
}

async function readMarker({ table, registryTable }: Registry): Promise<Marker> {
  const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key: MARKER, ConsistentRead: true }));
  if (Item === undefined) return { version: 0 };
  const { kind: _kind, id: _id, ...marker } = Item;
  return markerSchema.parse(marker);
}

function addedTo(marker: Marker, added: Numbers): Marker {
  const numbers = Object.entries(added).map(([list, number]) => [list, (marker[list] ?? 0) + number]);
  return { ...marker, ...Object.fromEntries(numbers) };
}

/** @returns false if a concurrent change won. */
async function apply(
  { table, registryTable }: Registry,
  marker: Marker,
  { items, added }: NonNullable<CatalogChange<unknown>['write']>,
): Promise<boolean> {
  const condition =
    marker.version === 0
      ? { ConditionExpression: 'attribute_not_exists(id)' }
      : { ConditionExpression: 'version = :version', ExpressionAttributeValues: { ':version': marker.version } };
  const Item = { ...MARKER, ...addedTo(marker, added), version: marker.version + 1 };
  try {
    const Put = { TableName: registryTable, Item, ...condition };
    await table.send(new TransactWriteCommand({ TransactItems: [{ Put }, ...items] }));
    return true;
  } catch (error) {
    if (error instanceof TransactionCanceledException && error.CancellationReasons?.some(isInBetween)) return false;
    throw error;
  }
}

function isInBetween({ Code }: { Code?: string | undefined }): boolean {
  return Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict';
}

function entriesOf<L extends CatalogList>(document: ConfigDocument, list: L): readonly EntryOf<L>[] {
  return (document[list] ?? []) as readonly EntryOf<L>[];
}

async function compared(context: CatalogContext, document: ConfigDocument): Promise<Compared[]> {
  const keysOf = <L extends CatalogList>(list: L) =>
    entriesOf(document, list).map((entry) => ({ kind: KINDS[list].kind, id: KINDS[list].nameOf(entry) }));
  const keys = CATALOG_LIST_NAMES.flatMap((list) => keysOf(list));
  const items = await batchGet(context.table, context.registryTable, keys, { consistent: true });
  const present = new Map(items.map((item) => [`${item.kind}#${item.id}`, item]));
  const at = timestamp(context.clock.now());
  const comparedEntry = async <L extends CatalogList>(list: L, entry: EntryOf<L>): Promise<Compared> => {
    const { kind, nameOf, imported, isVersioned = false } = KINDS[list];
    const name = nameOf(entry);
    const before = present.get(`${kind}#${name}`);
    const version = isVersioned ? await nextVersion(context, { kind, name }, before) : 1;
    const { item, isSame, isNew } = imported(entry, before, at, version);
    const change = before === undefined ? 'created' : isSame ? 'unchanged' : 'updated';
    const writes = isVersioned ? [item, { ...item, ...versionKey(kind, name, version) }] : [item];
    return { list, name, item: isSame && before !== undefined ? before : item, isNew, change, writes };
  };
  const comparedIn = async <L extends CatalogList>(list: L): Promise<Compared[]> =>
    await Promise.all(entriesOf(document, list).map(async (entry) => await comparedEntry(list, entry)));
  return (await Promise.all(CATALOG_LIST_NAMES.map(async (list) => await comparedIn(list)))).flat();
}

function checkLimits(changed: readonly Compared[], next: Marker): void {
  const { catalog } = LIMITS;
  const written = changed.flatMap(({ writes }) => writes);
  const changes = written.length;
  if (changes > catalog.changes) {
    throw InvalidFieldError.of(
      [],
      `received ${changes} ${LISTS_IN_WORDS} that are new or different, each template counted twice; one import can change at most ${catalog.changes}: give them in parts`,
    );
  }
  const bytes = written.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
  if (bytes > catalog.changedBytes) {
    throw InvalidFieldError.of(
      [],
      `received ${bytes} bytes of ${LISTS_IN_WORDS} that are new or different; one import can change at most ${catalog.changedBytes}: give them in parts`,
    );
  }
  for (const list of CATALOG_LIST_NAMES) {
    const number = next[list] ?? 0;
    if (number > catalog[list])
      throw InvalidFieldError.of(list, `there would be ${number} imported ones; at most ${catalog[list]} are allowed`);
  }
}

function namesByChange(entries: readonly Compared[]): Omit<ImportResult, 'dry_run'> {
  const names = (list: CatalogList, change: Compared['change']) =>
    entries.filter((entry) => entry.list === list && entry.change === change).map(({ name }) => name);
  const changesOf = (list: CatalogList) => ({
    created: names(list, 'created'),
    updated: names(list, 'updated'),
    unchanged: names(list, 'unchanged'),
  });
  return Object.fromEntries(CATALOG_LIST_NAMES.map((list) => [list, changesOf(list)])) as Omit<ImportResult, 'dry_run'>;
}
