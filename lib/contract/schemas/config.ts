import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { unknownMember, withoutNulls } from './fields/entry.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { nextCursor } from './fields/page.ts';
import { switchParameter, timestamp } from './fields/text.ts';
import { catalogName, profileEntry, profileView, source } from './profile.ts';
import { templateEntry } from './template.ts';

const { catalog } = LIMITS;

const ruleText = z.string({ error: 'expected a non-empty string' }).min(1).max(catalog.ruleTextLength);

const ruleShape = {
  id: catalogName.meta({ description: 'Identifies the rule in the `rule_ids` of jobs.' }),
  name: nameText(catalog.ruleNameLength, 'expected a non-empty string')
    .optional()
    .meta({ description: `Display name. Default: the id. ${NAME_NOTE}` }),
  text: ruleText.meta({ description: 'Text that is put before the prompt of a job.' }),
};

/** A rule as a configuration document holds it. */
export const ruleEntry = z.preprocess(
  withoutNulls,
  z.strictObject(ruleShape, { error: unknownMember(ruleShape) }).meta({ id: 'RuleEntry' }),
);

/**
 * The kinds of catalog entries: their lists in a configuration document, with the field that names an entry.
 * `LIMITS.catalog` has the limit of each.
 */
const CATALOG_LISTS = {
  rules: { entry: ruleEntry, key: 'id', names: 'Ids of rules.' },
  profiles: { entry: profileEntry, key: 'name', names: 'Names of profiles.' },
  templates: { entry: templateEntry, key: 'name', names: 'Names of templates.' },
} as const;
type CatalogLists = typeof CATALOG_LISTS;
export type CatalogList = keyof CatalogLists;

export const CATALOG_LIST_NAMES = Object.keys(CATALOG_LISTS) as readonly CatalogList[];

/** `rules and profiles` */
export const LISTS_IN_WORDS = new Intl.ListFormat('en').format(CATALOG_LIST_NAMES);

function listOf<L extends CatalogList>(list: L) {
  const { entry, key } = CATALOG_LISTS[list];
  return z
    .array(entry, { error: `expected a list of ${list}` })
    .max(catalog[list])
    .superRefine(unique(list, key))
    .optional();
}

/** One member for each list. */
function byList(memberOf: (list: CatalogList) => z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(CATALOG_LIST_NAMES.map((list) => [list, memberOf(list)]));
}

/** What `POST /config/import`, and the file `promptq.config.yaml`, holds. */
export const configDocument = z
  .strictObject(byList(listOf) as { [L in CatalogList]: z.ZodOptional<z.ZodArray<CatalogLists[L]['entry']>> }, {
    error: unknownMember(CATALOG_LISTS),
  })
  .meta({ id: 'ConfigDocument' });
export type ConfigDocument = z.output<typeof configDocument>;

/** Rejects two entries of the same name. */
function unique(list: string, key: string) {
  return (entries: readonly object[], context: z.RefinementCtx): void => {
    const first = new Map<unknown, number>();
    for (const [at, entry] of entries.entries()) {
      const name = (entry as Readonly<Record<string, unknown>>)[key];
      const earlier = first.get(name);
      if (earlier === undefined) first.set(name, at);
      else
        context.addIssue({
          code: 'custom',
          path: [at, key],
          message: `expected a different value than in ${list}[${earlier}]`,
        });
    }
  };
}

export const importQuery = z.object({
  dry_run: switchParameter('Report what the import would change, without changing it.'),
});

const changes = z.object({
  created: z.array(z.string()),
  updated: z.array(z.string()),
  unchanged: z.array(z.string()),
});

/** The answer of `POST /config/import`. */
export const importResult = z
  .object({
    dry_run: z.boolean().meta({ description: 'Whether this was a dry run, which changes nothing.' }),
    ...(byList((list) => changes.meta({ description: CATALOG_LISTS[list].names })) as Record<
      CatalogList,
      typeof changes
    >),
  })
  .meta({ id: 'ImportResult' });
export type ImportResult = z.output<typeof importResult>;

/** A rule as read. */
export const ruleView = z
  .object({ id: z.string(), name: z.string(), text: z.string(), source, updated_at: timestamp.nullable() })
  .meta({ id: 'Rule' });

/** `GET /rules`. */
export const ruleList = z.object({ items: z.array(ruleView), next_cursor: nextCursor }).meta({ id: 'RuleList' });

/** `GET /profiles`. */
export const profileList = z
  .object({ items: z.array(profileView), next_cursor: nextCursor })
  .meta({ id: 'ProfileList' });
