import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { ConfigDocument } from '../contract/schemas/config.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import type { Registry } from '../platform/registry.ts';
import { registryPage } from '../platform/registry-page.ts';

/** The kind of the registry's items that are rules. */
export const RULE_KIND = 'rule';

/** A named piece of prompt text that a job can ask for by id. */
const ruleSchema = z.object({ id: z.string().min(1), name: z.string(), text: z.string().min(1) });
export type Rule = z.output<typeof ruleSchema>;

/** A rule as the registry holds it. */
const storedRuleSchema = ruleSchema.extend({ updated_at: z.string().nullable().default(null) });
export type StoredRule = z.output<typeof storedRuleSchema>;

/** The rule that a document's entry defines. */
export function ruleOf({ id, name = id, text }: NonNullable<ConfigDocument['rules']>[number]): Rule {
  return { id, name, text };
}

/** The stored item of a rule. */
export function ruleItem(rule: Rule, updatedAt: string): Record<string, unknown> {
  return { kind: RULE_KIND, ...ruleSchema.parse(rule), updated_at: updatedAt };
}

/** The rule in a stored item. */
export function readRule(item: Record<string, unknown>): StoredRule {
  return storedRuleSchema.parse(item);
}

/** The key of a rule's stored item. */
export function ruleKey(id: string): { kind: string; id: string } {
  return { kind: RULE_KIND, id };
}

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
    const Item = { kind: RULE_KIND, ...ruleSchema.parse(rule) };
    await table.send(new PutCommand({ TableName: registryTable, Item }));
  }

  async #get(id: string, consistent: boolean): Promise<Rule | undefined> {
    const { table, registryTable } = this.#registry;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: { kind: RULE_KIND, id }, ConsistentRead: consistent }),
    );
    return Item && ruleSchema.parse(Item);
  }
}
