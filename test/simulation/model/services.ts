import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { ModelObjects } from './objects.ts';
import type { ModelQueue, Received } from './queue.ts';
import type { ModelTable } from './table.ts';
import { refuseUnusedPlaceholders } from './unused-placeholders.ts';

/** The services of a deployment, at the level of the SDK's commands. */
export interface Services {
  /** By name. */
  readonly tables: ReadonlyMap<string, ModelTable>;
  /** By URL. */
  readonly queues: ReadonlyMap<string, ModelQueue>;
  /** By URL: the queue that a queue gives up to. */
  readonly deadLetters?: ReadonlyMap<string, string>;
  readonly objects: ModelObjects;
}

/** Applies one command as its service would. @throws what the service would, and Error for what the model does not know. */
export function perform(services: Services, command: unknown): unknown {
  if (command instanceof GetCommand) {
    const { TableName, Key = {}, ConsistentRead = false } = command.input;
    const Item = table(services, TableName).get(Key, ConsistentRead);
    return Item === undefined ? {} : { Item: { ...Item } };
  }
  if (command instanceof UpdateCommand) {
    refuseUnusedPlaceholders(command.input);
    const { TableName, Key = {}, UpdateExpression = '', ReturnValues, ...rest } = command.input;
    const after = table(services, TableName).update(Key, UpdateExpression, rest);
    return ReturnValues === 'ALL_NEW' ? { Attributes: { ...after } } : {};
  }
  if (command instanceof QueryCommand) return query(services, command.input);
  if (command instanceof PutCommand) {
    refuseUnusedPlaceholders(command.input);
    table(services, command.input.TableName).put(command.input.Item ?? {}, command.input);
    return {};
  }
  if (command instanceof DeleteCommand) {
    refuseUnusedPlaceholders(command.input);
    table(services, command.input.TableName).delete(command.input.Key ?? {}, command.input);
    return {};
  }
  if (command instanceof BatchGetCommand) {
    const requests = Object.entries(command.input.RequestItems ?? {});
    const read = ([name, { Keys = [], ConsistentRead = false }]: (typeof requests)[number]) => {
      if (new Set(Keys.map((key) => JSON.stringify(key))).size < Keys.length)
        throw Object.assign(new Error('Provided list of item keys contains duplicates'), {
          name: 'ValidationException',
        });
      return Keys.map((key) => table(services, name).get(key, ConsistentRead)).filter((item) => item !== undefined);
    };
    return { Responses: Object.fromEntries(requests.map((request) => [request[0], read(request)])) };
  }
  if (command instanceof TransactWriteCommand) return transact(services, command.input.TransactItems ?? []);
  return performOnQueues(services, command) ?? services.objects.perform(command);
}

/** All conditions hold, or nothing is written. */
function transact(services: Services, items: readonly TransactItem[]): object {
  const codes = items.map((item) => (isAllowed(services, item) ? 'None' : 'ConditionalCheckFailed'));
  if (codes.some((code) => code !== 'None'))
    throw new TransactionCanceledException({
      $metadata: {},
      message: 'Transaction cancelled',
      CancellationReasons: codes.map((Code) => ({ Code })),
    });
  for (const { Put, Update, Delete } of items) {
    if (Put !== undefined) table(services, Put.TableName).put(Put.Item ?? {}, Put);
    if (Update !== undefined)
      table(services, Update.TableName).update(Update.Key ?? {}, Update.UpdateExpression ?? '', Update);
    if (Delete !== undefined) table(services, Delete.TableName).delete(Delete.Key ?? {}, Delete);
  }
  return {};
}

/** Whether the condition of a part of a transaction holds. */
function isAllowed(services: Services, { Put, Update, Delete, ConditionCheck }: TransactItem): boolean {
  if (ConditionCheck !== undefined) throw new Error('the model does not do a ConditionCheck');
  refuseUnusedPlaceholders(Put ?? Update ?? Delete ?? {});
  try {
    if (Put !== undefined) table(services, Put.TableName).check(Put.Item ?? {}, Put);
    if (Update !== undefined) table(services, Update.TableName).check(Update.Key ?? {}, Update);
    if (Delete !== undefined) table(services, Delete.TableName).check(Delete.Key ?? {}, Delete);
    return true;
  } catch {
    return false;
  }
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

function performOnQueues(services: Services, command: unknown): unknown {
  if (command instanceof SendMessageCommand) {
    queue(services, command.input.QueueUrl).send(command.input.MessageBody ?? '', command.input.DelaySeconds ?? 0);
    return {};
  }
  if (command instanceof ReceiveMessageCommand) {
    const { QueueUrl, WaitTimeSeconds = 0, MaxNumberOfMessages = 1 } = command.input;
    const from = queue(services, QueueUrl);
    return from.receive(WaitTimeSeconds).then((first) => {
      const received = first === undefined ? [] : [first, ...from.more(MaxNumberOfMessages - 1)];
      return received.length === 0 ? {} : { Messages: received.map(asMessage) };
    });
  }
  if (command instanceof GetQueueAttributesCommand) {
    const deadLetterTargetArn = services.deadLetters?.get(command.input.QueueUrl ?? '');
    return { Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn }) } };
  }
  if (command instanceof GetQueueUrlCommand) return { QueueUrl: command.input.QueueName };
  if (command instanceof ChangeMessageVisibilityCommand) {
    const { QueueUrl, ReceiptHandle = '', VisibilityTimeout = 0 } = command.input;
    queue(services, QueueUrl).changeVisibility(ReceiptHandle, VisibilityTimeout);
    return {};
  }
  if (command instanceof DeleteMessageCommand) {
    queue(services, command.input.QueueUrl).delete(command.input.ReceiptHandle ?? '');
    return {};
  }
  if (command instanceof DeleteMessageBatchCommand) {
    const { QueueUrl, Entries = [] } = command.input;
    for (const { ReceiptHandle = '' } of Entries) queue(services, QueueUrl).delete(ReceiptHandle);
    return {};
  }
  return undefined;
}

function asMessage({ id, body, handle, receives, sentAt }: Received) {
  const Attributes = { ApproximateReceiveCount: String(receives), SentTimestamp: String(sentAt) };
  return { MessageId: id, Body: body, ReceiptHandle: handle, Attributes };
}

function query(services: Services, input: QueryCommandInput): unknown {
  refuseUnusedPlaceholders(input);
  const { TableName, IndexName, KeyConditionExpression = '', ...rest } = input;
  const asked = table(services, TableName);
  const [, name = '', value = '', sortName, begin = '', low, high = ''] = partsOf(KeyConditionExpression);
  const boundTo = (placeholder: string) => String(rest.ExpressionAttributeValues?.[placeholder]);
  const key = rest.ExpressionAttributeNames?.[name] ?? name;
  if (key !== asked.partitionKeyOf(IndexName) || rest.FilterExpression !== undefined)
    throw new Error(`the model does not know the query ${KeyConditionExpression} of ${IndexName}`);
  const between = low === undefined ? undefined : { low: boundTo(low), high: boundTo(high) };
  if (between !== undefined && between.low > between.high)
    throw Object.assign(new Error('the upper bound of BETWEEN is less than the lower one'), {
      name: 'ValidationException',
    });
  const { items, last } = asked.query({
    index: IndexName,
    partition: boundTo(value),
    between,
    forward: rest.ScanIndexForward ?? true,
    limit: rest.Limit ?? Number.POSITIVE_INFINITY,
    from: rest.ExclusiveStartKey,
  });
  const prefix = String(rest.ExpressionAttributeValues?.[begin] ?? '');
  const matching = sortName === undefined ? items : items.filter((item) => String(item[sortName]).startsWith(prefix));
  return { Items: matching.map((item) => ({ ...item })), ...(last !== undefined && { LastEvaluatedKey: last }) };
}

const parsedConditions = new Map<string, readonly (string | undefined)[]>();

/** The parts of a key condition that the model knows, of which there are few. */
function partsOf(condition: string): readonly (string | undefined)[] {
  const known = parsedConditions.get(condition);
  if (known !== undefined) return known;
  const form = /^([#\w]+) = (:\w+)(?: AND begins_with\((\w+), (:\w+)\)| AND #\w+ BETWEEN (:\w+) AND (:\w+))?$/;
  const parts = form.exec(condition) ?? [];
  parsedConditions.set(condition, parts);
  return parts;
}

function table({ tables }: Services, name: string | undefined): ModelTable {
  const found = tables.get(name ?? '');
  if (found === undefined) throw new Error(`the model has no table ${name}`);
  return found;
}

function queue({ queues }: Services, url: string | undefined): ModelQueue {
  const found = queues.get(url ?? '');
  if (found === undefined) throw new Error(`the model has no queue ${url}`);
  return found;
}
