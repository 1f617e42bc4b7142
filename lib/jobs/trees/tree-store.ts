import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { besideTransactions } from '../../platform/beside-transactions.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';

const treeSchema = z.object({
  /** Ids of the descendants of the root, the oldest first. */
  members: z.array(z.string()),
  /** Jobs whose descendants were asked to be cancelled: by id, the newest round of the job whose children that concerns. */
  stopped: z.record(z.string(), z.number()),
  version: z.number(),
});
export type Tree = z.output<typeof treeSchema>;

type Descendant = Pick<Job, 'id' | 'ancestors'>;

const NO_TREE: Tree = { members: [], stopped: {}, version: 0 };

/** How often a change is decided again because another process was faster. */
const MAX_TRIES = 50;

/** The id of the job that a client created, and that a job descends from, or the job's own. */
export function rootOf({ id, ancestors }: Descendant): string {
  return ancestors?.[0]?.id ?? id;
}

/** The ancestors of the jobs that a job brings about. */
export function ancestorsBelow(parent: Pick<Job, 'id' | 'ancestors' | 'round'>): NonNullable<Job['ancestors']> {
  return [...(parent.ancestors ?? []), { id: parent.id, round: parent.round ?? 0 }];
}

/** The descendants of each job that a client created: their ids, and the jobs whose descendants were cancelled. */
export class TreeStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #registryTable: string;
  readonly #limit: number;

  /** @param limit descendants of one root */
  constructor({ table, registryTable }: Registry, limit: number = LIMITS.followUps.perTree) {
    this.#table = table;
    this.#registryTable = registryTable;
    this.#limit = limit;
  }

  /** As of the last acknowledged write. */
  async read(rootId: string): Promise<Tree> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#registryTable, Key: keyOf(rootId), ConsistentRead: true }),
    );
    return Item === undefined ? NO_TREE : treeSchema.parse(Item);
  }

  /** Why a tree takes no further descendant; undefined: it does. */
  refusalOf({ members, stopped }: Tree, job: Descendant): string | undefined {
    const ended = job.ancestors?.find(({ id, round }) => round <= (stopped[id] ?? -1));
    if (ended !== undefined) return `job ${ended.id} was cancelled with all its descendants`;
    if (members.length < this.#limit) return undefined;
    return `a tree has at most ${this.#limit} jobs below its root, and that of ${rootOf(job)} has ${members.length}`;
  }

  /** The write that adds a descendant to its tree, unless that has changed since it was read. */
  adding(tree: Tree, job: Descendant): PutCommandInput {
    return this.#put(rootOf(job), tree, { ...tree, members: [...tree.members, job.id] });
  }

  /** Records that a job gets no further descendants, unless a person retries it. @returns the tree with this record */
  async stop(job: Pick<Job, 'id' | 'ancestors' | 'round'>): Promise<Tree> {
    const round = job.round ?? 0;
    return await this.#change(rootOf(job), (tree) =>
      (tree.stopped[job.id] ?? -1) >= round ? tree : { ...tree, stopped: { ...tree.stopped, [job.id]: round } },
    );
  }

  /** Forgets a job that is being removed. @param isLast whether the job without other members is the end of the tree */
  async forget(job: Descendant, isLast: () => Promise<boolean>): Promise<void> {
    const rootId = rootOf(job);
    const tree = await this.#change(rootId, (known) =>
      known.members.includes(job.id) ? { ...known, members: known.members.filter((id) => id !== job.id) } : known,
    );
    if (tree.version === 0 || tree.members.length > 0 || !(await isLast())) return;
    await this.#table.send(new DeleteCommand({ TableName: this.#registryTable, Key: keyOf(rootId) }));
  }

  async #change(rootId: string, change: (tree: Tree) => Tree): Promise<Tree> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const known = await this.read(rootId);
      const next = change(known);
      if (next === known) return known;
      try {
        await besideTransactions(() => this.#table.send(new PutCommand(this.#put(rootId, known, next))));
        return { ...next, version: known.version + 1 };
      } catch (error) {
        // Also if this write was applied and its answer lost: then the next round finds nothing to change.
        if (!(error instanceof ConditionalCheckFailedException)) throw error;
      }
    }
    throw new Error(`the tree of job ${rootId} changed in every round`);
  }

  #put(rootId: string, known: Tree, next: Tree): PutCommandInput {
    const isNew = known.version === 0;
    return {
      TableName: this.#registryTable,
      Item: { ...keyOf(rootId), ...next, version: known.version + 1 },
      ConditionExpression: isNew ? 'attribute_not_exists(kind)' : 'version = :known',
      ...(!isNew && { ExpressionAttributeValues: { ':known': known.version } }),
    };
  }
}

function keyOf(rootId: string): { kind: string; id: string } {
  return { kind: `tree#${rootId}`, id: 'tree' };
}
