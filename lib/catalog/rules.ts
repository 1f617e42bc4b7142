import { isDeepStrictEqual } from 'node:util';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import type { Registry } from '../platform/registry.ts';
import { registryPage } from '../platform/registry-page.ts';
import type { CatalogKind } from './catalog-kind.ts';

/** The kind of the registry's items that are rules. */
const RULE_KIND = 'rule';

/** A named piece of prompt text that a job can ask for by id. */
const ruleSchema = z.object({ id: z.string().min(1), name: z.string(), text: z.string().min(1) });
export type Rule = z.output<typeof ruleSchema>;

/** A rule as the registry holds it. */
const storedRuleSchema = ruleSchema.extend({ updated_at: z.string().nullable().default(null) });
type StoredRule = z.output<typeof storedRuleSchema>;

/** The rule in a stored item. */
export function readRule(item: Record<string, unknown>): StoredRule {
  return storedRuleSchema.parse(item);
}

/** The key of a rule's stored item. */
export function ruleKey(id: string): { kind: string; id: string } {
  return { kind: RULE_KIND, id };
}

export const RULES: CatalogKind<'rules', StoredRule> = {
  list: 'rules',
  kind: RULE_KIND,
  nameOf: ({ id }) => id,
  imported: ({ id, name = id, text }, before, at) => {
    const rule = { id, name, text };
    return {
      item: { ...ruleKey(id), ...rule, updated_at: at },
      isSame: before !== undefined && isDeepStrictEqual(ruleSchema.parse(before), rule),
      isNew: before === undefined,
    };
  },
  exported: (item) => ruleSchema.parse(item),
  removed: (_id, item) => {
    if (item === undefined) throw ApiError.of('not_found');
    return { answer: readRule(item) };
  },
};

export class RuleStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /**
   * The rules in the requested order; `unknown` holds the ids without a rule.
   * @param options.consistent sees every acknowledged import; otherwise only a missing rule is read consistently
   */
  async get(
    ids: readonly string[],
    { consistent = false }: { consistent?: boolean } = {},
  ): Promise<{ rules: Rule[]; unknown: string[] }> {
    const found = await Promise.all(
      ids.map(async (id) => (await this.#get(id, consistent)) ?? (consistent ? undefined : await this.#get(id, true))),
    );
    return {
      rules: found.filter((rule) => rule !== undefined),
      unknown: ids.filter((_, at) => found[at] === undefined),
    };
  }

  async page(query: PageQuery): Promise<{ items: StoredRule[]; nextCursor: string | null }> {
    const { items, nextCursor } = await registryPage(this.#registry, RULE_KIND, query);
    return { items: items.map(readRule), nextCursor };
  }

  async put(rule: Rule): Promise<void> {
    const { table, registryTable } = this.#registry;
    const Item = { ...ruleKey(rule.id), ...ruleSchema.parse(rule) };
    await table.send(new PutCommand({ TableName: registryTable, Item }));
  }

  async #get(id: string, consistent: boolean): Promise<Rule | undefined> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: ruleKey(id), ConsistentRead: consistent }),
    );
    return Item && ruleSchema.parse(Item);
  }
}
