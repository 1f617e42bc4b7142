import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountVendor } from '../contract/vendors.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import { eventRow } from '../platform/event-rows.ts';
import type { Registry } from '../platform/registry.ts';
import { untilFirst } from '../platform/until-first.ts';
import { type Account, accountSchema } from './account.ts';

const KIND = 'account';

type Update = (account: Account, now: number) => Account | undefined;

interface AccountStoreOptions extends Registry {
  readonly clock: Clock;
  /** Whether logins are the vendors' or the practice vendor's. The two are stored separately. */
  readonly world: 'practice' | 'real';
}

/**
 * The vendor accounts: one item each, changed under the condition that its version is still the one that was read. That
 * one was linked is an event, which is written with the change.
 */
export class AccountStore {
  readonly #options: AccountStoreOptions;

  constructor(options: AccountStoreOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  async read(vendor: AccountVendor, options: { consistent: boolean } = { consistent: true }): Promise<Account> {
    const { table, registryTable } = this.#options;
    const { Item } = await table.send(
      new GetCommand({ TableName: registryTable, Key: this.#key(vendor), ConsistentRead: options.consistent }),
    );
    return accountSchema.parse(Item ?? {});
  }

  /**
   * Changes an account. `update` returns the new account. The same object: nothing to write; undefined: rejected.
   * @param options.quietly does not update the time of the last change that clients see
   * @returns the current account; undefined if rejected
   * @throws ApiError `unavailable` after too many conflicts
   */
  async change(vendor: AccountVendor, update: (account: Account, now: number) => Account): Promise<Account>;
  async change(vendor: AccountVendor, update: Update, options?: { quietly: boolean }): Promise<Account | undefined>;
  async change(vendor: AccountVendor, update: Update, options = { quietly: false }): Promise<Account | undefined> {
    const { clock } = this.#options;
    return await untilFirst(async () => {
      const known = await this.read(vendor);
      const next = update(known, clock.now());
      if (next === undefined || next === known) return { result: next };
      const written = {
        ...next,
        version: known.version + 1,
        ...(!options.quietly && { updated_at: timestamp(clock.now()) }),
      };
      return (await this.#put(vendor, known, written)) ? { result: written } : undefined;
    });
  }

  async #put(vendor: AccountVendor, known: Account, account: Account): Promise<boolean> {
    const { table, registryTable, clock } = this.#options;
    const isLinked = account.login?.state === 'linked' && known.login?.state !== 'linked';
    const put = {
      TableName: registryTable,
      Item: { ...this.#key(vendor), ...account },
      ConditionExpression: account.version === 1 ? 'attribute_not_exists(id)' : '#version = :known',
      ...(account.version > 1 && {
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':known': account.version - 1 },
      }),
    };
    try {
      if (isLinked) {
        const row = eventRow(this.#options, `${this.#key(vendor).id}#${account.version}`, {
          type: 'account.linked',
          time: timestamp(clock.now()),
          subject: { kind: 'account', id: vendor, name: account.credential?.account ?? vendor, why: null },
        });
        await table.send(new TransactWriteCommand({ TransactItems: [{ Put: put }, row] }));
      } else await table.send(new PutCommand(put));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException)
        return false;
      throw error;
    }
  }

  #key(vendor: AccountVendor) {
    return { kind: KIND, id: this.#options.world === 'real' ? vendor : `${vendor}@${this.#options.world}` };
  }
}
