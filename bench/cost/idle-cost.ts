import * as z from 'zod';
import { KEEP_WARM } from '../../lib/contract/keep-warm.ts';
import type { RequestCounts } from '../requests/request-counts.ts';
import { HOURS_A_MONTH, type PriceName } from './prices.ts';
import type { Resource } from './templates.ts';

/** What an idle deployment is taken to keep; GB, of each resource of the kind. */
export const KEPT = { table: 0.1, bucket: 1, workspaces: 1, image: 0.5, log: 0.002 } as const;

/** Seconds that a round of a scheduled function takes which finds nothing to do. */
export const IDLE_ROUND_SECONDS = 0.3;

/** Seconds that a function takes which is only kept warm, with a share of the starts that it saves others. */
export const WARM_CALL_SECONDS = 0.01;

/** GB that Lambda and the function write to its log in each round. */
const LOG_OF_ROUND = 0.5e-6;

/** Lambda polls a queue of an event source by five connections, each for as long as the queue holds a poll: 20 s. */
const QUEUE_POLLS_A_MINUTE = 5 * 3;

/** One thing that is billed while nothing happens. */
export interface IdleCharge {
  readonly part: string;
  readonly price: PriceName;
  /** In the price's unit, a month. */
  readonly amount: number;
}

interface Context {
  readonly counts: RequestCounts;
  readonly memoryOf: (functionArn: unknown) => number;
}

type Judge = (properties: Record<string, unknown>, context: Context) => IdleCharge[];

/** Billed by use alone, or not at all: nothing while nothing happens. */
const FREE: readonly RegExp[] = [
  /^AWS::(IAM|CDK)::/,
  /^AWS::ApiGateway::/,
  /^AWS::Lambda::(Function|Permission|LayerVersion|EventInvokeConfig|Version|Alias)$/,
  /^AWS::EC2::(VPC|Subnet|RouteTable|SubnetRouteTableAssociation|Route|InternetGateway|VPCGatewayAttachment)$/,
  /^AWS::EC2::SecurityGroup(Ingress|Egress)?$/,
  /^AWS::ECS::(Cluster|ClusterCapacityProviderAssociations)$/,
  /^AWS::EFS::(MountTarget|AccessPoint)$/,
  /^AWS::SQS::Queue(Policy)?$/,
  /^AWS::S3::BucketPolicy$/,
  // An idle user pool has no active users; a distribution, its functions and policies are billed by request.
  /^AWS::Cognito::/,
  /^AWS::CloudFront::/,
  // Standard parameters, and SecureStrings with AWS's own key, cost nothing.
  /^AWS::SSM::Parameter$/,
  // Billed by message.
  /^AWS::SNS::/,
  // They run at deployments only.
  /^(Custom::|AWS::CloudFormation::)/,
  /^AWS::Logs::(ResourcePolicy|MetricFilter)$/,
  /^AWS::Route53::RecordSet$/,
];

const BILLED: Readonly<Record<string, Judge>> = {
  'AWS::DynamoDB::GlobalTable': () => [
    { part: 'tables', price: 'dynamodbStorage', amount: KEPT.table },
    { part: 'tables', price: 'dynamodbBackup', amount: KEPT.table },
  ],
  'AWS::S3::Bucket': () => [{ part: 'buckets', price: 's3Storage', amount: KEPT.bucket }],
  'AWS::EFS::FileSystem': () => [{ part: 'workspaces', price: 'efsInfrequent', amount: KEPT.workspaces }],
  'AWS::ECS::TaskDefinition': () => [{ part: "the worker's image", price: 'ecrStorage', amount: KEPT.image }],
  'AWS::Logs::LogGroup': () => [{ part: 'logs', price: 'logStorage', amount: KEPT.log }],
  'AWS::CloudWatch::Alarm': ({ Metrics }) => [{ part: 'alarms', price: 'alarmMetric', amount: metricsOf(Metrics) }],
  'AWS::CloudWatch::Dashboard': () => [{ part: 'dashboard', price: 'dashboard', amount: 1 }],
  'AWS::WAFv2::WebACL': () => [{ part: 'firewall', price: 'webAcl', amount: 1 }],
  'AWS::Route53::HostedZone': () => [{ part: 'domain', price: 'hostedZone', amount: 1 }],
  'AWS::SecretsManager::Secret': () => [{ part: 'secrets', price: 'secret', amount: 1 }],
  'AWS::Lambda::EventSourceMapping': ({ StartingPosition }) =>
    // Lambda reads a table's stream at no charge, and asks a queue whether anything is there or not.
    StartingPosition === undefined
      ? [
          {
            part: 'polling of the deliveries queue',
            price: 'sqsRequest',
            amount: QUEUE_POLLS_A_MINUTE * 60 * HOURS_A_MONTH,
          },
        ]
      : [],
  'AWS::Events::Rule': scheduled,
  // Gateway endpoints cost nothing; interface endpoints do, by the hour.
  'AWS::EC2::VPCEndpoint': ({ VpcEndpointType, ServiceName }) => {
    if (VpcEndpointType === 'Gateway') return [];
    throw new Error(
      `what an endpoint of the kind ${String(VpcEndpointType)} costs (${JSON.stringify(ServiceName)}) is not known`,
    );
  },
};

const ruleSchema = z.object({
  ScheduleExpression: z.string().optional(),
  State: z.string().default('ENABLED'),
  Targets: z.array(z.object({ Arn: z.unknown(), Input: z.string().optional() })).default([]),
});

/** A schedule's own events are free; what it starts is not. Each round is taken to ask as much as one of reconcile-jobs. */
function scheduled(properties: Record<string, unknown>, { counts, memoryOf }: Context): IdleCharge[] {
  const { ScheduleExpression: schedule, State, Targets } = ruleSchema.parse(properties);
  if (schedule === undefined || State !== 'ENABLED') return [];
  const rounds = roundsOf(schedule);
  return Targets.flatMap(({ Arn, Input }): IdleCharge[] =>
    Input === JSON.stringify(KEEP_WARM) ? keptWarm(rounds, memoryOf(Arn)) : watching(rounds, memoryOf(Arn), counts),
  );
}

function keptWarm(rounds: number, memory: number): IdleCharge[] {
  const part = 'functions kept warm';
  return [
    { part, price: 'lambdaRequest', amount: rounds },
    { part, price: 'lambdaArm', amount: rounds * WARM_CALL_SECONDS * memory },
    { part, price: 'logIngestion', amount: rounds * LOG_OF_ROUND },
  ];
}

function watching(rounds: number, memory: number, counts: RequestCounts): IdleCharge[] {
  return [
    { part: 'watching', price: 'lambdaRequest', amount: rounds },
    { part: 'watching', price: 'lambdaArm', amount: rounds * IDLE_ROUND_SECONDS * memory },
    { part: 'watching', price: 'dynamodbRead', amount: rounds * counts.idleMinute.reads },
    { part: 'watching', price: 'dynamodbWrite', amount: rounds * counts.idleMinute.writes },
    { part: 'watching', price: 'sqsRequest', amount: rounds * counts.idleMinute.sqs },
    { part: 'watching', price: 'logIngestion', amount: rounds * LOG_OF_ROUND },
  ];
}

/** Rounds a month. @throws Error for a schedule whose rounds this can't tell */
function roundsOf(schedule: string): number {
  const [, every] = /^cron\(\d+\/(\d+) \* \* \* \? \*\)$/.exec(schedule) ?? [];
  if (every !== undefined) return (60 * HOURS_A_MONTH) / Number(every);
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(schedule) ?? [];
  if (count === undefined) throw new Error(`how often ${schedule} comes is not known`);
  return ({ minute: 60, hour: 1, day: 1 / 24 }[unit as 'minute' | 'hour' | 'day'] * HOURS_A_MONTH) / Number(count);
}

/** An alarm is billed by each metric that it looks at. */
function metricsOf(metrics: unknown): number {
  const queries = z.array(z.object({ MetricStat: z.unknown().optional() })).safeParse(metrics).data;
  return queries === undefined ? 1 : queries.filter(({ MetricStat }) => MetricStat !== undefined).length;
}

/**
 * What a deployment is billed for while nothing happens.
 * @throws Error that names every type of resource of which it is not known what it costs
 */
export function idleCharges(resources: ReadonlyMap<string, Resource>, counts: RequestCounts): IdleCharge[] {
  const unknown = new Set<string>();
  const memoryOf = (arn: unknown) => {
    const id = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }).parse(arn)['Fn::GetAtt'][0];
    return Number(resources.get(id)?.Properties.MemorySize ?? 128) / 1024;
  };
  const charges = [...resources.values()].flatMap(({ Type, Properties }) => {
    const judge = BILLED[Type];
    if (judge === undefined && !FREE.some((type) => type.test(Type))) unknown.add(Type);
    return judge?.(Properties, { counts, memoryOf }) ?? [];
  });
  if (unknown.size > 0)
    throw new Error(`say in bench/cost/idle-cost.ts what these cost while nothing happens: ${[...unknown].join(', ')}`);
  return charges.filter(({ amount }) => amount > 0);
}
