import { randomBytes } from 'node:crypto';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { BINDING_SECRET_KIND } from '../platform/aws/tables.ts';
import type { Registry } from '../platform/registry.ts';

/** Only the function that signs calls may read these items: no other function's role has access to this kind. */
const KIND = BINDING_SECRET_KIND;

const itemSchema = z.object({ secret: z.string() });

/** A new secret in the format of Standard Webhooks: 32 random bytes. */
export function generateSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The secrets that sign calls, each stored under a new reference, so that none is ever overwritten. */
export class BindingSecretStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  /** @returns the reference under which it is stored */
  async put(secret: string): Promise<string> {
    const id = randomBytes(12).toString('hex');
    await this.#table.send(new PutCommand({ TableName: this.#tableName, Item: { kind: KIND, id, secret } }));
    return id;
  }

  async get(ref: string): Promise<string | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: { kind: KIND, id: ref }, ConsistentRead: true }),
    );
    return Item && itemSchema.parse(Item).secret;
  }

  async delete(ref: string): Promise<void> {
    await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: { kind: KIND, id: ref } }));
  }
}
