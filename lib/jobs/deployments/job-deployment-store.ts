import { randomBytes } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { queriedItems } from '../../platform/aws/queried-items.ts';
import { eventRow } from '../../platform/event-rows.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';
import { deploymentEvent } from './deployment-event.ts';
import { type JobDeployment, type JobDeploymentKey, jobDeploymentSchema } from './job-deployment.ts';

/** Prefix of the registry kind under which a job's deployments are stored. IAM roles name it. */
const KIND = 'deployments#';
const ATTEMPT_DIGITS = 6;

/** Deployments of jobs, pending and done, by job. */
export class JobDeploymentStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #registry: Registry;

  constructor(options: Registry) {
    this.#registry = options;
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  /** All deployments of a job, by attempt and binding; sees every acknowledged write. */
  async list(jobId: string): Promise<JobDeployment[]> {
    const found: JobDeployment[] = [];
    const items = queriedItems(this.#table, {
      TableName: this.#tableName,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': `${KIND}${jobId}` },
      ConsistentRead: true,
    });
    for await (const item of items) found.push(jobDeploymentSchema.parse(item));
    return found;
  }

  async get(key: JobDeploymentKey): Promise<JobDeployment | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: keyOf(key), ConsistentRead: true }),
    );
    return Item && jobDeploymentSchema.parse(Item);
  }

  /** Deletes all deployments of a job that is removed or about to be. */
  async removeAll(jobId: string): Promise<void> {
    for (const one of await this.list(jobId))
      await this.#table.send(new DeleteCommand({ TableName: this.#tableName, Key: keyOf(one) }));
  }

  /** The write that replaces `known` with `next`, for `replace` and for a transaction. */
  replacement(
    known: JobDeployment | undefined,
    next: Omit<JobDeployment, 'version' | 'change_id'>,
  ): { readonly written: JobDeployment; readonly put: PutCommandInput } {
    const written: JobDeployment = {
      ...next,
      version: (known?.version ?? 0) + 1,
      change_id: randomBytes(6).toString('base64url'),
    };
    const put = {
      TableName: this.#tableName,
      Item: { ...keyOf(next), ...written },
      ...(known === undefined
        ? { ConditionExpression: 'attribute_not_exists(id)' }
        : {
            ConditionExpression: '#version = :version',
            ExpressionAttributeNames: { '#version': 'version' },
            ExpressionAttributeValues: { ':version': known.version },
          }),
    };
    return { written, put };
  }

  /**
   * Replaces `known` with `next`. Its end is an event, which is written with it.
   * @param of the job that it is of, if that exists
   * @returns the stored deployment; undefined if another writer was faster
   */
  async replace(
    known: JobDeployment | undefined,
    next: Omit<JobDeployment, 'version' | 'change_id'>,
    of?: Pick<Job, 'project_id' | 'project'>,
  ): Promise<JobDeployment | undefined> {
    const { written, put } = this.replacement(known, next);
    const event = deploymentEvent(known, written, of);
    try {
      if (event === undefined) await this.#table.send(new PutCommand(put));
      else {
        const { job_id, attempt, binding, version } = written;
        const row = eventRow(this.#registry, `${job_id}#${attempt}#${binding}#${version}`, event);
        await this.#table.send(new TransactWriteCommand({ TransactItems: [{ Put: put }, row] }));
      }
      return written;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException))
        throw error;
      // When the SDK repeats a write that was applied but not answered, the condition fails.
      return (await this.get(next))?.change_id === written.change_id ? written : undefined;
    }
  }
}

function keyOf({ job_id, attempt, binding }: JobDeploymentKey): { kind: string; id: string } {
  return { kind: `${KIND}${job_id}`, id: `${attempt.toString().padStart(ATTEMPT_DIGITS, '0')}#${binding}` };
}
