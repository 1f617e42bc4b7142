import { isDeepStrictEqual } from 'node:util';
import { InvalidFieldError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import type { ConfigDocument, ImportResult } from '../contract/schemas/config.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import { type CatalogState, changeCatalog } from './catalog-state.ts';
import { PROFILE_KIND, profileItem, profileSchema, readProfile } from './profiles.ts';
import { RULE_KIND, readRule, ruleItem, ruleOf } from './rules.ts';
import { type Sandbox, sandboxProblems } from './sandboxes.ts';

/** The registry, and the time of what is written to it. */
interface DatedRegistry extends Registry {
  readonly clock: Clock;
}

/** One entry of a document, with the registry's entry of the same name. */
interface Entry {
  readonly list: 'rules' | 'profiles';
  readonly name: string;
  readonly change: 'created' | 'updated' | 'unchanged';
  /** Whether it adds to the number of imported entries. */
  readonly isNew: boolean;
  readonly item: Record<string, unknown>;
}

/**
 * Applies a document's rules and profiles to the registry in one transaction; entries that it doesn't name stay.
 * @param options.dryRun only reports the changes
 * @param options.sandboxes that the workers can provide
 * @throws ApiError `invalid_request` for more changes than a transaction holds, more entries than a deployment may
 *   have, or a profile whose sandbox the workers cannot provide
 */
export async function importConfig(
  context: DatedRegistry,
  document: ConfigDocument,
  { dryRun, sandboxes }: { dryRun: boolean; sandboxes: readonly Sandbox[] },
): Promise<ImportResult> {
  rejectSandboxes(document, sandboxes);
  return await changeCatalog(context, async (state) => {
    const entries = await compared(context, document);
    const changed = entries.filter(({ change }) => change !== 'unchanged');
    const next = countsAfter(state, entries);
    checkLimits(changed, next);
    const answer = { dry_run: dryRun, rules: namesOf(entries, 'rules'), profiles: namesOf(entries, 'profiles') };
    if (dryRun || changed.length === 0) return { answer };
    const items = changed.map(({ item }) => ({ Put: { TableName: context.registryTable, Item: item } }));
    return { answer, write: { items, next } };
  });
}

function rejectSandboxes(document: ConfigDocument, sandboxes: readonly Sandbox[]): void {
  const problems = sandboxProblems(document, sandboxes);
  if (problems.length > 0) throw new InvalidFieldError(problems);
}

async function compared(context: DatedRegistry, document: ConfigDocument): Promise<Entry[]> {
  const { rules = [], profiles = [] } = document;
  const present = await presentItems(context, [
    ...rules.map(({ id }) => ({ kind: RULE_KIND, id })),
    ...profiles.map(({ name }) => ({ kind: PROFILE_KIND, id: name })),
  ]);
  const at = timestamp(context.clock.now());
  return [
    ...rules.map((entry): Entry => {
      const rule = ruleOf(entry);
      const item = present.get(`${RULE_KIND}#${rule.id}`);
      const { updated_at: _, ...before } = item === undefined ? { updated_at: null } : readRule(item);
      return {
        list: 'rules',
        name: rule.id,
        change: item === undefined ? 'created' : isDeepStrictEqual(before, rule) ? 'unchanged' : 'updated',
        isNew: item === undefined,
        item: ruleItem(rule, at),
      };
    }),
    ...profiles.map((entry): Entry => {
      const profile = profileSchema.parse(entry);
      const item = present.get(`${PROFILE_KIND}#${profile.name}`);
      const before = item && readProfile(item);
      const isSame = before?.source === 'imported' && isDeepStrictEqual(before.profile, profile);
      return {
        list: 'profiles',
        name: profile.name,
        change: before === undefined ? 'created' : isSame ? 'unchanged' : 'updated',
        isNew: before?.source !== 'imported',
        item: profileItem(profile, at, before),
      };
    }),
  ];
}

async function presentItems(
  { table, registryTable }: Registry,
  keys: readonly { kind: string; id: string }[],
): Promise<Map<string, Record<string, unknown>>> {
  const items = await batchGet(table, registryTable, keys, { consistent: true });
  return new Map(items.map((item) => [`${item.kind}#${item.id}`, item]));
}

/** The number of imported entries after the change. */
type Counts = Omit<CatalogState, 'version'>;

function countsAfter(state: CatalogState, entries: readonly Entry[]): Counts {
  const added = (list: Entry['list']) => entries.filter((entry) => entry.list === list && entry.isNew).length;
  return { rules: state.rules + added('rules'), profiles: state.profiles + added('profiles') };
}

function checkLimits(changed: readonly Entry[], next: Counts): void {
  const { catalog } = LIMITS;
  const changes = changed.length;
  if (changes > catalog.changes) {
    throw InvalidFieldError.of(
      [],
      `received ${changes} rules and profiles that are new or different; one import can change at most ${catalog.changes}: give them in parts`,
    );
  }
  const bytes = changed.reduce((sum, { item }) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
  if (bytes > catalog.changedBytes) {
    throw InvalidFieldError.of(
      [],
      `received ${bytes} bytes of rules and profiles that are new or different; one import can change at most ${catalog.changedBytes}: give them in parts`,
    );
  }
  for (const list of ['rules', 'profiles'] as const) {
    if (next[list] > catalog[list]) {
      throw InvalidFieldError.of(
        list,
        `there would be ${next[list]} imported ones; at most ${catalog[list]} are allowed`,
      );
    }
  }
}

function namesOf(entries: readonly Entry[], list: Entry['list']): ImportResult['rules'] {
  const of = (change: Entry['change']) =>
    entries.filter((entry) => entry.list === list && entry.change === change).map(({ name }) => name);
  return { created: of('created'), updated: of('updated'), unchanged: of('unchanged') };
}
