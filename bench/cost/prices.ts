/** When the prices were read. They are those of us-east-1, on demand, without free tiers and without taxes. */
export const PRICES_AS_OF = '2026-11';

/** What AWS charges for so many units of something. */
export interface Price {
  readonly usd: number;
  readonly of: number;
  readonly unit: string;
  /** An address whose page states the figure, or `own knowledge`: no page was found that does. */
  readonly source: string;
}

const DYNAMODB = 'https://airbyte.com/data-engineering-resources/dynamodb-pricing';
const LAMBDA = 'https://cloudchipr.com/blog/aws-lambda-pricing';
const S3 = 'https://c3x.dev/blog/s3-request-fees-explained';
const FARGATE = 'https://www.vantage.sh/blog/fargate-pricing';
const CLOUDWATCH = 'https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/';
/** A dated transcript of the figures in AWS's own pages. */
const TRANSCRIPTS = 'https://raw.githubusercontent.com/api-evangelist';
const EFS = 'https://www.factualminds.com/blog/amazon-efs-pricing-throughput-modes-storage-classes/';
const OWN = 'own knowledge';

export const PRICES = {
  dynamodbWrite: { usd: 0.625, of: 1e6, unit: 'write request units', source: DYNAMODB },
  dynamodbRead: { usd: 0.125, of: 1e6, unit: 'read request units', source: DYNAMODB },
  dynamodbStorage: { usd: 0.25, of: 1, unit: 'GB-month', source: 'https://aws.amazon.com/dynamodb/pricing/' },
  dynamodbBackup: { usd: 0.2, of: 1, unit: 'GB-month of point-in-time recovery', source: OWN },
  sqsRequest: { usd: 0.4, of: 1e6, unit: 'requests', source: 'https://cloudburn.io/blog/amazon-sqs-pricing' },
  lambdaRequest: { usd: 0.2, of: 1e6, unit: 'invocations', source: LAMBDA },
  lambdaArm: { usd: 0.0000133334, of: 1, unit: 'GB-second, arm64', source: LAMBDA },
  lambdaStreamed: { usd: 0.008, of: 1, unit: 'GB of a streamed answer after its first 6 MB', source: OWN },
  restRequest: {
    usd: 3.5,
    of: 1e6,
    unit: 'requests of a REST API',
    source:
      'https://docs.aws.amazon.com/whitepapers/latest/best-practices-api-gateway-private-apis-integration/cost-optimization.html',
  },
  cloudFrontRequest: { usd: 1, of: 1e6, unit: 'requests by HTTPS', source: OWN },
  cloudFrontFunction: {
    usd: 0.1,
    of: 1e6,
    unit: 'runs of a CloudFront function',
    source: 'https://cur.vantage.sh/aws/amazoncloudfront/',
  },
  s3Put: { usd: 5, of: 1e6, unit: 'PUT, COPY, POST, LIST requests', source: S3 },
  s3Get: { usd: 0.4, of: 1e6, unit: 'GET and other requests', source: S3 },
  s3Storage: {
    usd: 0.023,
    of: 1,
    unit: 'GB-month',
    source: 'https://devnotes.tech/understanding-aws-s3-pricing-a-complete-cost-breakdown-with-examples',
  },
  efsStandard: { usd: 0.3, of: 1, unit: 'GB-month', source: 'https://aws.amazon.com/efs/pricing/' },
  efsInfrequent: { usd: 0.025, of: 1, unit: 'GB-month, infrequent access', source: EFS },
  efsRead: { usd: 0.03, of: 1, unit: 'GB read, elastic throughput', source: EFS },
  efsWrite: { usd: 0.06, of: 1, unit: 'GB written, elastic throughput', source: EFS },
  efsInfrequentAccess: { usd: 0.01, of: 1, unit: 'GB read from infrequent access, or moved out of it', source: EFS },
  ecrStorage: { usd: 0.1, of: 1, unit: 'GB-month', source: 'https://cloudburn.io/blog/amazon-ecr-pricing' },
  alarmMetric: { usd: 0.1, of: 1, unit: 'metric of an alarm, a month', source: CLOUDWATCH },
  customMetric: { usd: 0.3, of: 1, unit: 'custom metric, a month, by the hour', source: CLOUDWATCH },
  dashboard: { usd: 3, of: 1, unit: 'dashboard, a month', source: CLOUDWATCH },
  logIngestion: { usd: 0.5, of: 1, unit: 'GB written to a log', source: CLOUDWATCH },
  logStorage: {
    usd: 0.03,
    of: 1,
    unit: 'GB-month of log',
    source: 'https://c3x.dev/blog/cloudwatch-logs-cost-optimization',
  },
  webAcl: {
    usd: 5,
    of: 1,
    unit: 'web ACL, a month, and 1 a rule',
    source: 'https://c3x.dev/blog/aws-waf-cost-explained/',
  },
  hostedZone: {
    usd: 0.5,
    of: 1,
    unit: 'hosted zone, a month',
    source: `${TRANSCRIPTS}/amazon-route53-resolver/refs/heads/main/plans/amazon-route53-resolver-plans-pricing.yml`,
  },
  secret: {
    usd: 0.4,
    of: 1,
    unit: 'secret of Secrets Manager, a month',
    source: `${TRANSCRIPTS}/amazon-secrets-manager/refs/heads/main/plans/amazon-secrets-manager-plans-pricing.yml`,
  },
  fargateArmCpu: { usd: 0.03238, of: 1, unit: 'vCPU-hour, arm64', source: FARGATE },
  fargateArmMemory: { usd: 0.00356, of: 1, unit: 'GB-hour, arm64', source: FARGATE },
  fargateDisk: { usd: 0.000111, of: 1, unit: "GB-hour of a task's disk beyond 20 GB", source: FARGATE },
  fargateX86Cpu: { usd: 0.04048, of: 1, unit: 'vCPU-hour, x86', source: FARGATE },
  fargateX86Memory: { usd: 0.004445, of: 1, unit: 'GB-hour, x86', source: FARGATE },
  publicIpv4: {
    usd: 0.005,
    of: 1,
    unit: 'hour of a public IPv4 address',
    source: 'https://www.doit.com/aws-public-ipv4-price-increase-the-complete-guide/',
  },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof PRICES;

/** Maximum discount of Spot. The actual discount changes. https://aws.amazon.com/fargate/pricing/ */
export const SPOT_DISCOUNT = 0.7;

/** Fargate charges a task for no less (seconds). */
export const FARGATE_MINIMUM_SECONDS = 60;

/** As AWS's own calculator has them. */
export const HOURS_A_MONTH = 730;

/** Dollars for an amount of something. */
export function cost(name: PriceName, amount: number): number {
  const { usd, of } = PRICES[name];
  return (usd / of) * amount;
}

/** Dollars of one worker task an hour, its address included. @param task vCPUs and GiB */
export function taskHour(task: {
  readonly vcpus: number;
  readonly memoryGb: number;
  readonly architecture: 'arm64' | 'x86_64';
  readonly spot?: boolean;
}): number {
  const [cpu, memory] =
    task.architecture === 'arm64'
      ? (['fargateArmCpu', 'fargateArmMemory'] as const)
      : (['fargateX86Cpu', 'fargateX86Memory'] as const);
  const compute = cost(cpu, task.vcpus) + cost(memory, task.memoryGb);
  return compute * (task.spot ? 1 - SPOT_DISCOUNT : 1) + cost('publicIpv4', 1);
}
