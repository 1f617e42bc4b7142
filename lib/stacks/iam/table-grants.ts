import { ArnFormat } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { SECRET_NAMES } from '../../access/deployment-secrets.ts';
import type { IndexSpec, TABLES, TableName } from '../../platform/aws/tables.ts';
import { BANDS, PRINCIPAL_KINDS, PRIVATE_KINDS, SIGNAL_KIND } from '../../platform/aws/tables.ts';
import { EVENT_ROWS } from '../../platform/event-rows.ts';
import type { DataStack } from '../data/data-stack.ts';
import {
  clientSecretName,
  loginReaderName,
  makeExportsName,
  readFeedName,
  reconcileJobsName,
  scaleWorkersName,
  serviceEndpointsParameter,
} from '../data/shared-names.ts';

/** The prefix of all job data in the bucket. */
const OUTPUT_PREFIX = 'jobs/*';
/** The prefix of all exports. */
const EXPORTS_PREFIX = 'exports/*';
/** The records of attempts. */
const RECEIPTS = 'jobs/*/receipt.json';

type ItemAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';
type QueueAction =
  | 'SendMessage'
  | 'GetQueueAttributes'
  | 'ReceiveMessage'
  | 'DeleteMessage'
  | 'ChangeMessageVisibility';
type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject' | 'DeleteObjectVersion' | 'AbortMultipartUpload';
type IndexName<T extends TableName> = (typeof TABLES)[T]['indexes'][number] extends infer I extends IndexSpec
  ? I['name']
  : never;

type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** Limits a statement to Registry items of these kinds. */
export function ofKinds(...kinds: readonly string[]): Conditions {
  return { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': kinds } };
}

/** Limits a statement to Registry items of matching kinds. */
export function ofKindsLike(...patterns: readonly string[]): Conditions {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } };
}

/** Excludes the Registry's private kinds: write access to them amounts to administrator rights. */
export const EXCEPT_PRIVATE: Conditions = {
  'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': PRIVATE_KINDS },
};

/** Permission to read the identity provider's client secret. */
export function clientSecretStatement(data: DataStack): PolicyStatement {
  return readParameterStatement(data, clientSecretName(data));
}

/** Permission to read the service endpoints. */
export function serviceEndpointsStatement(data: DataStack): PolicyStatement {
  return readParameterStatement(data, serviceEndpointsParameter(data));
}

function readParameterStatement(data: DataStack, ...names: readonly string[]): PolicyStatement {
  return new PolicyStatement({
    actions: ['ssm:GetParameter'],
    resources: names.map((name) =>
      data.formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
    ),
  });
}

/** Permission to invoke the function that launches workers. */
export function wakeScalingStatement(data: DataStack): PolicyStatement {
  return invokeStatement(data, scaleWorkersName(data));
}

/** Permission to invoke the function that makes exports. */
export function wakeExportsStatement(data: DataStack): PolicyStatement {
  return invokeStatement(data, makeExportsName(data));
}

/** Permission to invoke the function that runs readers of the feed of events. */
export function wakeReadersStatement(data: DataStack): PolicyStatement {
  return invokeStatement(data, readFeedName(data));
}

/** Permission to invoke the function that runs each minute. */
export function continueReconcilingStatement(data: DataStack): PolicyStatement {
  return invokeStatement(data, reconcileJobsName(data));
}

/** Permission to read a login code. */
export function loginReaderStatement(data: DataStack): PolicyStatement {
  return invokeStatement(data, loginReaderName(data));
}

function invokeStatement(data: DataStack, resourceName: string): PolicyStatement {
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  const resource = data.formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat });
  return new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [resource] });
}

/** Permission for actions on a table's items. */
export function itemStatement(
  data: DataStack,
  table: TableName,
  actions: readonly ItemAction[],
  conditions: Conditions = {},
): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [data.tables[table].tableArn],
    conditions,
  });
}

/** Permission to add events that are no change of a job, and nothing else, to the jobs table. */
export function tellStatement(data: DataStack): PolicyStatement {
  return itemStatement(data, 'jobs', ['PutItem'], ofKindsLike(`${EVENT_ROWS}*`));
}

/** Permission to read whether a token is active, and nothing else of it. */
export function tokenStateStatement(data: DataStack): PolicyStatement {
  return itemStatement(data, 'registry', ['GetItem'], {
    'ForAllValues:StringEquals': {
      'dynamodb:LeadingKeys': [PRINCIPAL_KINDS.token],
      'dynamodb:Attributes': ['kind', 'id', 'state'],
    },
    StringEqualsIfExists: { 'dynamodb:Select': ['SPECIFIC_ATTRIBUTES'] },
  });
}

/** Permission to read indexes of the jobs table. */
export function indexStatement(data: DataStack, names: readonly IndexName<'jobs'>[]): PolicyStatement {
  return new PolicyStatement({
    actions: ['dynamodb:Query'],
    resources: names.map((name) => `${data.tables.jobs.tableArn}/index/${name}`),
  });
}

/** Permission for actions on the dispatch queues. */
export function queueStatement(data: DataStack, actions: readonly QueueAction[]): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `sqs:${action}`),
    resources: BANDS.map((band) => data.queues[band].queueArn),
  });
}

/** Permission for actions on the queue of signed calls. */
export function deliveriesStatement(data: DataStack, actions: readonly QueueAction[]): PolicyStatement {
  return new PolicyStatement({
    actions: actions.map((action) => `sqs:${action}`),
    resources: [data.deliveries.queueArn],
  });
}

/** Permission to move a permanently failed call to the dead-letter queue. */
export function givenUpStatement(data: DataStack): PolicyStatement {
  const queue = data.deliveries.deadLetterQueue?.queue;
  return new PolicyStatement({
    actions: ['sqs:GetQueueUrl', 'sqs:SendMessage'],
    resources: queue === undefined ? [] : [queue.queueArn],
  });
}

/** Permission to receive from the dead-letter queues. */
export function deadLettersStatement(data: DataStack): PolicyStatement {
  const queues = BANDS.flatMap((band) => data.queues[band].deadLetterQueue?.queue ?? []);
  return new PolicyStatement({
    actions: ['sqs:GetQueueUrl', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    resources: queues.map(({ queueArn }) => queueArn),
  });
}

/** Permission to read the secrets that the deployment shares with other systems. */
export function secretsStatement(data: DataStack): PolicyStatement {
  return readParameterStatement(data, ...SECRET_NAMES.map((name) => `${data.secretsFolder}/${name}`));
}

/** Permission for actions on jobs' objects in the bucket. */
export function outputStatements(data: DataStack, actions: readonly ObjectAction[]): PolicyStatement[] {
  return objectStatements(data, actions, OUTPUT_PREFIX);
}

/** Permission for actions on exports' objects in the bucket. */
export function exportStatements(data: DataStack, actions: readonly ObjectAction[]): PolicyStatement[] {
  return objectStatements(data, actions, EXPORTS_PREFIX);
}

/** Permission to read the records of attempts. */
export function receiptStatements(data: DataStack): PolicyStatement[] {
  return objectStatements(data, ['GetObject'], RECEIPTS);
}

function objectStatements(data: DataStack, actions: readonly ObjectAction[], prefix: string): PolicyStatement[] {
  return [
    new PolicyStatement({
      actions: actions.map((action) => `s3:${action}`),
      resources: [data.output.arnForObjects(prefix)],
    }),
    // Without it S3 answers 403 instead of 404 for a missing object. S3 requires it also for requests without a prefix
    // (a missing object, HeadBucket): so the condition applies only to requests with one.
    new PolicyStatement({
      actions: ['s3:ListBucket'],
      resources: [data.output.bucketArn],
      conditions: { StringLikeIfExists: { 's3:prefix': prefix } },
    }),
  ];
}

/** Permission to delete jobs' objects for good: a bucket with versions keeps what is deleted without naming one. */
export function outputRemovalStatements(data: DataStack): PolicyStatement[] {
  return [
    ...outputStatements(data, ['DeleteObject', 'DeleteObjectVersion']),
    new PolicyStatement({
      actions: ['s3:ListBucketVersions'],
      resources: [data.output.bucketArn],
      conditions: { StringLike: { 's3:prefix': OUTPUT_PREFIX } },
    }),
  ];
}

/** A function that changes a running job tells its worker. */
export function signalsStatement(data: DataStack): PolicyStatement {
  return itemStatement(data, 'registry', ['UpdateItem'], ofKinds(SIGNAL_KIND));
}
