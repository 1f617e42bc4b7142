import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { unknownMember, withoutNulls } from './fields/entry.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { nextCursor } from './fields/page.ts';
import { switchParameter, timestamp } from './fields/text.ts';
import { catalogName, profileEntry, profileView, source } from './profile.ts';

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

/** What `POST /config/import`, and the file `promptq.config.yaml`, holds. */
export const configDocument = z
  .strictObject(
    {
      rules: z
        .array(ruleEntry, { error: 'expected a list of rules' })
        .max(catalog.rules)
        .superRefine(unique('rules', 'id'))
        .optional(),
      profiles: z
        .array(profileEntry, { error: 'expected a list of profiles' })
        .max(catalog.profiles)
        .superRefine(unique('profiles', 'name'))
        .optional(),
    },
    { error: unknownMember({ rules: true, profiles: true }) },
  )
  .meta({ id: 'ConfigDocument' });
export type ConfigDocument = z.output<typeof configDocument>;

/** Rejects two entries of the same name. */
function unique<K extends string>(list: string, key: K) {
  return (entries: readonly Record<K, string>[], context: z.RefinementCtx): void => {
    const first = new Map<string, number>();
    for (const [at, entry] of entries.entries()) {
      const earlier = first.get(entry[key]);
      if (earlier === undefined) first.set(entry[key], at);
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
    rules: changes.meta({ description: 'Ids of rules.' }),
    profiles: changes.meta({ description: 'Names of profiles.' }),
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
