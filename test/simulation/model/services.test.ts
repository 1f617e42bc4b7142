import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../../../lib/platform/aws/tables.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { SeededRandom } from '../seeded-random.ts';
import { ModelObjects } from './objects.ts';
import { ModelQueue } from './queue.ts';
import { perform, type Services } from './services.ts';
import { ModelTable } from './table.ts';
import { VirtualTime } from './virtual-time.ts';

let deployment: EmulatedDeployment;
let model: Services;
beforeAll(async () => {
  deployment = await emulateDeployment();
  model = aModel(deployment.env);
});
afterAll(async () => await deployment.stop());

const random = new SeededRandom(Math.floor(Math.random() * 2 ** 32));

describe('the model answers as the emulators do:', () => {
  it('random writes, reads and queries of a table', async () => {
    for (let step = 0; step < 1_500; step += 1) {
      const command = aTableCommand();
      const real = await answerOf(() => (deployment.table as unknown as Sender).send(command));
      const modelled = await answerOf(() => perform(model, command));
      expect({ command: command.input, answer: modelled }).toEqual({ command: command.input, answer: real });
    }
  });

  it('a message on its random way through a queue', async () => {
    const QueueUrl = deployment.env.QUEUE_URL_HIGH;
    const handles = { real: 'none', modelled: 'none' };
    let isThere = false;
    let isInHand = false;
    for (let step = 0; step < 200; step += 1) {
      const act = random.pick(['send', 'receive', 'receive', 'return', 'delete'] as const);
      if (act === 'send' && isThere) continue;
      if (act === 'return' && handles.real === 'none') continue;
      // What an outdated handle does is left open by SQS.
      if (act === 'delete' && !isInHand) continue;
      if (act === 'send') isThere = true;
      if (act === 'delete') isThere = false;
      const commandFor = (ReceiptHandle: string) => ({
        send: new SendMessageCommand({ QueueUrl, MessageBody: `message ${step}`, MessageGroupId: 'group' }),
        receive: new ReceiveMessageCommand({
          QueueUrl,
          WaitTimeSeconds: 0,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        }),
        return: new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        delete: new DeleteMessageCommand({ QueueUrl, ReceiptHandle }),
      });
      const real = await messageOf(() => deployment.queues.send(commandFor(handles.real)[act] as SendMessageCommand));
      const modelled = await messageOf(() => perform(model, commandFor(handles.modelled)[act]));
      expect({ step, act, ...modelled.seen }).toEqual({ step, act, ...real.seen });
      if (real.handle !== undefined && modelled.handle !== undefined)
        Object.assign(handles, { real: real.handle, modelled: modelled.handle });
      isInHand = act === 'receive' ? isInHand || real.handle !== undefined : isInHand && act === 'send';
      if (act === 'delete') Object.assign(handles, { real: 'none', modelled: 'none' });
    }
  });

  it('objects that are put, replaced, read whole and in part, listed by pages, deleted, and missing', async () => {
    for (let step = 0; step < 250; step += 1) {
      const command = anObjectCommand(step);
      const real = await objectAnswerOf(() => deployment.objects.send(command as PutObjectCommand));
      const modelled = await objectAnswerOf(() => perform(model, command));
      expect({ command: command.input, answer: modelled }).toEqual({ command: command.input, answer: real });
    }
  });
});

interface Sender {
  send(command: object): Promise<unknown>;
}

function aModel(env: EmulatedDeployment['env']): Services {
  const time = new VirtualTime();
  const options = {
    now: () => time.now,
    staleness: { indexDelay: () => 0, readLag: () => 0, pageSize: () => Number.POSITIVE_INFINITY },
    onWrite: () => undefined,
  };
  const never = () => false;
  const queue = () =>
    new ModelQueue(time, random, { loses: never, doubles: never, deliversTwice: never, reorders: never });
  return {
    tables: new Map([
      [env.JOBS_TABLE, new ModelTable(TABLES.jobs, options)],
      [env.REGISTRY_TABLE, new ModelTable(TABLES.registry, options)],
    ]),
    queues: new Map([[env.QUEUE_URL_HIGH, queue()]]),
    objects: new ModelObjects(),
  };
}

function aTableCommand() {
  const TableName = deployment.env.JOBS_TABLE;
  const id = `job-${random.integer(1, 6)}`;
  const Key = { id };
  const shown = random.chance(0.5) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const } : {};
  switch (random.pick(['put', 'update', 'update', 'update', 'get', 'query', 'delete'] as const)) {
    case 'put': {
      const isNew = random.chance(0.5) ? { ConditionExpression: 'attribute_not_exists(id)' } : {};
      const item = { ...anItem(id), ...(random.chance(0.5) && { inner: { a: random.integer(0, 3) } }) };
      return new PutCommand({ TableName, Item: item, ...isNew, ...shown });
    }
    case 'get':
      return new GetCommand({ TableName, Key, ConsistentRead: true });
    case 'delete':
      return new DeleteCommand({ TableName, Key });
    case 'query':
      return new QueryCommand({
        TableName,
        ...aQuery(),
        ScanIndexForward: random.chance(0.5),
        Limit: random.integer(1, 8),
      });
    case 'update':
      return new UpdateCommand({
        TableName,
        Key,
        ...anUpdate(),
        ...shown,
        ...(random.chance(0.7) && { ReturnValues: 'ALL_NEW' as const }),
      });
  }
}

function anObjectCommand(step: number) {
  const Bucket = deployment.env.OUTPUT_BUCKET;
  const Key = `model/${random.pick(['a', 'b'])}/${random.integer(1, 4)}`;
  switch (random.pick(['put', 'put', 'get', 'part', 'head', 'list', 'delete'] as const)) {
    case 'put':
      return new PutObjectCommand({ Bucket, Key, Body: Buffer.from(`object ${step} ${'.'.repeat(step % 7)}`) });
    case 'get':
      return new GetObjectCommand({ Bucket, Key });
    case 'part': {
      const from = random.integer(0, 12);
      return new GetObjectCommand({ Bucket, Key, Range: `bytes=${from}-${from + random.integer(0, 6)}` });
    }
    case 'head':
      return new HeadObjectCommand({ Bucket, Key });
    case 'list': {
      const StartAfter = random.chance(0.5) ? { StartAfter: Key } : {};
      const Prefix = random.pick(['model/', 'model/a/']);
      return new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: random.integer(1, 5), ...StartAfter });
    }
    case 'delete':
      return new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }, { Key: `${Key}0` }], Quiet: true } });
  }
}

async function objectAnswerOf(send: () => unknown): Promise<unknown> {
  try {
    const { Body, ContentLength, Contents, NextContinuationToken } = (await send()) as ObjectAnswer;
    const text = Body && (await Body.transformToString?.());
    const bytes = Body && text === undefined ? Buffer.concat(await Array.fromAsync(Body)).toString() : text;
    const listed = Contents?.map(({ Key, Size }) => ({ Key, Size }));
    const hasMore = NextContinuationToken !== undefined;
    return Body === undefined ? { size: listed === undefined ? ContentLength : undefined, listed, hasMore } : { bytes };
  } catch (error) {
    return (error as Error).name;
  }
}

interface ObjectAnswer {
  readonly Body?: AsyncIterable<Buffer> & { transformToString?(): Promise<string> };
  readonly ContentLength?: number;
  readonly Contents?: readonly { readonly Key?: string; readonly Size?: number }[];
  readonly NextContinuationToken?: string;
}

let clock = 0;

function anItem(id: string) {
  clock += 1;
  const at = String(clock).padStart(8, '0');
  const ready = random.chance(0.6) ? { ready_key: 'band#p', ready_order: at } : {};
  return { id, version: random.integer(1, 3), list_key: 'jobs#0', status_key: 'QUEUED#0', created_at: at, ...ready };
}

function aQuery() {
  const [IndexName, name, value] = random.pick([
    ['ready', 'ready_key', 'band#p'],
    ['by-status', 'status_key', 'QUEUED#0'],
    ['by-time', 'list_key', 'jobs#0'],
  ] as const);
  return {
    IndexName,
    KeyConditionExpression: '#key = :key',
    ExpressionAttributeNames: { '#key': name },
    ExpressionAttributeValues: { ':key': value },
  };
}

function anUpdate() {
  const names = { '#version': 'version', '#inner': 'inner', '#a': 'a', '#text': 'text' };
  const values = { ':one': 1, ':two': 2, ':text': `text ${clock}`, ':map': { a: 1 } };
  const UpdateExpression = random.pick([
    'SET #version = #version + :one',
    'SET #text = :text, #version = :two REMOVE ready_key, ready_order',
    'SET #inner.#a = #inner.#a + :one',
    'SET #inner = :map',
    'SET #version = if_not_exists(#version, :one)',
    'REMOVE #inner',
    'ADD #version :one',
  ]);
  const ConditionExpression = random.pick([
    '',
    '#version = :two',
    '#version = :one AND attribute_not_exists(#text)',
    'NOT #version < :two',
    'attribute_exists(#inner.#a) OR #text <> :text',
    '(#version >= :two AND #version <> :one) OR #version IN (:one, :two)',
  ]);
  const text = `${UpdateExpression} ${ConditionExpression}`;
  // DynamoDB refuses names and values that no expression uses.
  const isSparing = random.chance(0.95);
  const used = <T>(all: Record<string, T>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !isSparing || new RegExp(`${name}\\b`).test(text)));
  const [usedNames, usedValues] = [used(names), used(values)];
  return {
    UpdateExpression,
    ...(ConditionExpression !== '' && { ConditionExpression }),
    ...(Object.keys(usedNames).length > 0 && { ExpressionAttributeNames: usedNames }),
    ...(Object.keys(usedValues).length > 0 && { ExpressionAttributeValues: usedValues }),
  };
}

/** What a caller sees of an answer or an error. */
async function answerOf(send: () => unknown): Promise<unknown> {
  try {
    const { Item, Items, Attributes, LastEvaluatedKey } = (await send()) as Record<string, unknown>;
    return { Item, Items, Attributes, LastEvaluatedKey };
  } catch (error) {
    const { name, Item } = error as Error & { Item?: Parameters<typeof unmarshall>[0] };
    return { name, item: Item && unmarshall(Item) };
  }
}

async function messageOf(send: () => unknown) {
  try {
    const answer = (await send()) as ReceiveAnswer;
    const message = answer.Messages?.[0];
    return {
      seen: { body: message?.Body, receives: message?.Attributes?.ApproximateReceiveCount },
      handle: message?.ReceiptHandle,
    };
  } catch {
    return { seen: { refused: true }, handle: undefined };
  }
}

interface ReceiveAnswer {
  readonly Messages?: readonly {
    readonly Body?: string;
    readonly ReceiptHandle?: string;
    readonly Attributes?: { readonly ApproximateReceiveCount?: string };
  }[];
}
