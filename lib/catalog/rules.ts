import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';

const KIND = 'rule';

/** A named piece of prompt text that a job can ask for by id. */
const ruleSchema = z.object({ id: z.string().min(1), name: z.string(), text: z.string().min(1) });
export type Rule = z.output<typeof ruleSchema>;

export class RuleStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { table: DynamoDBDocumentClient; registryTable: string }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  /** The rules in the order asked for; `unknown` holds the ids that there are no rules of. */
  async get(ids: readonly string[]): Promise<{ rules: Rule[]; unknown: string[] }> {
    const found = await Promise.all(ids.map((id) => this.#get(id)));
    return {
      rules: found.filter((rule) => rule !== undefined),
      unknown: ids.filter((_, at) => found[at] === undefined),
    };
  }

  async put(rule: Rule): Promise<void> {
    await this.#table.send(
      new PutCommand({ TableName: this.#tableName, Item: { kind: KIND, ...ruleSchema.parse(rule) } }),
    );
  }

  async #get(id: string): Promise<Rule | undefined> {
    const { Item } = await this.#table.send(new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id } }));
    return Item && ruleSchema.parse(Item);
  }
}
