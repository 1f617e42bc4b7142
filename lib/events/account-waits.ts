import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Profile, ProfileStore } from '../catalog/profiles.ts';
import { accountOf } from '../catalog/vendor-account.ts';
import type { NewEvent } from '../contract/schemas/event.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { ACCOUNT_WAIT_KIND } from '../platform/aws/tables.ts';
import { toldOf } from '../platform/event-rows.ts';
import type { Registry } from '../platform/registry.ts';

/*
 * That a vendor account has to be linked, or that its limit is reached, is found out by the jobs that use it. The first
 * job that waits for an account makes it an event; those that follow do not, until one of them no longer waits. A row for
 * each account with waiting jobs holds that.
 *
 * The events follow from the records of the stream, and come behind the event of the job in the feed. A record that is
 * delivered again finds the row that it has written, and gives the same event, which the feed then has already.
 */

/** What an account is waited for. */
const TYPES = { account_required: 'account.required', usage_limit: 'account.limit' } as const;
type Wait = keyof typeof TYPES;

const WHY = {
  account_required: 'Jobs wait until the account is linked.',
  usage_limit: 'Jobs wait until the limit of the account is over.',
} as const;

type WaitingJob = Pick<Job, 'id' | 'version' | 'status' | 'profile' | 'updated_at' | 'parked' | 'probing'>;

export class AccountWaits {
  readonly #registry: Registry;
  readonly #profiles: Pick<ProfileStore, 'get'>;

  constructor({ profiles, ...registry }: Registry & { readonly profiles: Pick<ProfileStore, 'get'> }) {
    this.#registry = registry;
    this.#profiles = profiles;
  }

  /** The event that a change of a job is for its account; undefined: none. Writes only if a job waits for one. */
  async eventOf(before: WaitingJob | undefined, after: WaitingJob | undefined): Promise<NewEvent | undefined> {
    const left = waitOf(before);
    const begun = waitOf(after);
    if (left !== begun && left !== undefined && after !== undefined) await this.#forget(left, after);
    // One that tries has waited before.
    if (begun === undefined || begun === left || begun !== after?.parked) return undefined;
    const profile = await this.#profiles.get(after.profile);
    if (profile === undefined || !(await this.#note(begun, profile, after))) return undefined;
    const { agent, name } = profile;
    return toldOf({
      type: TYPES[begun],
      time: after.updated_at,
      profile: name,
      subject: { kind: 'account', id: agent, name: `${agent} (profile ${name})`, why: WHY[begun] },
    });
  }

  /** @returns whether no job waited, or this change has noted it before */
  async #note(wait: Wait, profile: Profile, { id, version }: WaitingJob): Promise<boolean> {
    const { table, registryTable } = this.#registry;
    const by = `${id} ${version}`;
    const put = new PutCommand({
      TableName: registryTable,
      Item: { ...keyOf(wait, profile), by },
      ConditionExpression: 'attribute_not_exists(id) OR #by = :by',
      ExpressionAttributeNames: { '#by': 'by' },
      ExpressionAttributeValues: { ':by': by },
    });
    return await table.send(put).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      },
    );
  }

  async #forget(wait: Wait, { profile: name }: WaitingJob): Promise<void> {
    const profile = await this.#profiles.get(name);
    if (profile === undefined) return;
    const { table, registryTable } = this.#registry;
    await table.send(new DeleteCommand({ TableName: registryTable, Key: keyOf(wait, profile) }));
  }
}

/** What a job waits for. One that tries whether it still has to wait does. */
function waitOf(job: WaitingJob | undefined): Wait | undefined {
  const isWait = (reason: string | undefined): reason is Wait => reason !== undefined && Object.hasOwn(TYPES, reason);
  // While it tries, it can be parked for another reason, such as its folder.
  return [job?.parked, job?.probing].find(isWait);
}

function keyOf(wait: Wait, profile: Profile) {
  const account = createHash('sha256').update(accountOf(profile)).digest('base64url').slice(0, 16);
  return { kind: ACCOUNT_WAIT_KIND, id: `${wait}#${account}` };
}
