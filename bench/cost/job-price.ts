import * as z from 'zod';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import { FUNCTION_MEMORY } from '../../lib/stacks/functions/function-memory.ts';
import { REGISTER_INTERVAL_MS } from '../../lib/workers/live-workers.ts';
import { FLUSH } from '../../worker-container/output/stream-shipper.ts';
import type { RequestCounts, Step } from '../requests/request-counts.ts';
import { cost, type PriceName, taskHour } from './prices.ts';
import type { Resource } from './templates.ts';

/** What a client does with each job, and what of it is not counted but taken. */
export const SCENARIO = {
  /** Reads of the status until the job has ended. */
  statusReads: 3,
  /** Seconds of one function's work, its starts included. */
  functionSeconds: 0.05,
  /** Memory of functions, GB. */
  functionMemory: {
    buffered: FUNCTION_MEMORY.buffered / 1_024,
    streaming: FUNCTION_MEMORY.stream / 1_024,
    trigger: FUNCTION_MEMORY.trigger / 1_024,
  },
  /** Runs of count-jobs: at most one per change of a job. */
  countRounds: 3,
  /** GB that a request writes into the logs of API Gateway and of its function. */
  logOfRequest: 1.2e-6,
  /** Requests of S3 a minute of output, of both streams. */
  flushes: (2 * 60_000) / FLUSH.longest,
} as const;

/** Dollars by service. */
export type Dollars = Partial<Record<(typeof SERVICES)[number], number>>;
export const SERVICES = ['API Gateway', 'CloudFront', 'Lambda', 'DynamoDB', 'SQS', 'S3', 'logs', 'Fargate'] as const;

/** A part of a job's life, and what a thousand jobs cost in it. */
export interface JobPart {
  readonly part: string;
  readonly dollars: Dollars;
}

const JOBS = 1_000;

/** What 1,000 jobs cost besides the worker's time. */
export function jobParts(counts: RequestCounts): JobPart[] {
  const { statusReads } = SCENARIO;
  const polled = times(request(counts.status, 'buffered'), statusReads);
  return [
    { part: 'creating it', dollars: request(counts.create, 'buffered') },
    { part: `reading its status ${statusReads} times`, dollars: polled },
    { part: 'reading its result', dollars: request(counts.result, 'streaming') },
    { part: 'claiming it', dollars: stored(counts.claim) },
    { part: 'running it, without worker time', dollars: stored(counts.run) },
    {
      part: 'counting it',
      dollars: merged(stored(counts.count), {
        Lambda: invocations(SCENARIO.countRounds, SCENARIO.functionMemory.trigger),
      }),
    },
    {
      part: 'deciding whether it needs a worker',
      dollars: merged(stored({ ...counts.idleMinute, sqs: 0 }), {
        Lambda: invocations(1, SCENARIO.functionMemory.trigger),
      }),
    },
  ].map(({ part, dollars }) => ({ part, dollars: times(dollars, JOBS) }));
}

/** What 1,000 minutes of running jobs cost, one on each worker. */
export function minuteParts(counts: RequestCounts, worker: WorkerSize): JobPart[] {
  const beats = 60_000 / LEASE.heartbeatEvery;
  const upkeep = [
    times(stored(counts.heartbeat), beats),
    times(stored(counts.look), 60_000 / LEASE.lookEvery - beats),
    times(stored(counts.register), 60_000 / REGISTER_INTERVAL_MS),
  ];
  return [
    { part: `the worker: ${sizeInWords(worker)}`, dollars: { Fargate: taskHour(worker) / 60 } },
    { part: 'heartbeats, checks for cancel, registration', dollars: merged(...upkeep) },
    {
      part: 'output that comes without pause',
      dollars: { S3: cost('s3Put', SCENARIO.flushes) + cost('s3Get', SCENARIO.flushes) },
    },
  ].map(({ part, dollars }) => ({ part, dollars: times(dollars, JOBS) }));
}

/** Size of the worker's task. */
export interface WorkerSize {
  readonly vcpus: number;
  readonly memoryGb: number;
  readonly architecture: 'arm64' | 'x86_64';
}

/** The size of the worker's task as the template has it. */
export function workerSize(resources: ReadonlyMap<string, Resource>): WorkerSize {
  const { Cpu, Memory, RuntimePlatform } = z
    .object({
      Cpu: z.coerce.number(),
      Memory: z.coerce.number(),
      RuntimePlatform: z.object({ CpuArchitecture: z.enum(['ARM64', 'X86_64']) }),
    })
    .parse([...resources.values()].find(({ Type }) => Type === 'AWS::ECS::TaskDefinition')?.Properties);
  const architecture = RuntimePlatform.CpuArchitecture === 'ARM64' ? 'arm64' : 'x86_64';
  return { vcpus: Cpu / 1024, memoryGb: Memory / 1024, architecture };
}

function sizeInWords({ vcpus, memoryGb, architecture }: WorkerSize): string {
  return `${vcpus} vCPU, ${memoryGb} GB, ${architecture}, and its public address`;
}

/** One request of the API, with what its function asks for. @param seconds that the function holds it */
export function request(
  step: Step,
  mode: keyof typeof SCENARIO.functionMemory,
  seconds: number = SCENARIO.functionSeconds,
): Dollars {
  return merged(stored(step), {
    'API Gateway': cost('restRequest', 1),
    // Each request of the API runs one function of the distribution.
    CloudFront: cost('cloudFrontRequest', 1) + cost('cloudFrontFunction', 1),
    Lambda: invocations(1, SCENARIO.functionMemory[mode], seconds),
    logs: cost('logIngestion', SCENARIO.logOfRequest),
  });
}

function stored({ writes, reads, sqs, s3Puts, s3Gets }: Step): Dollars {
  const all = (...charges: [PriceName, number][]) =>
    charges.reduce((sum, [name, amount]) => sum + cost(name, amount), 0);
  return {
    DynamoDB: all(['dynamodbWrite', writes], ['dynamodbRead', reads]),
    SQS: all(['sqsRequest', sqs]),
    S3: all(['s3Put', s3Puts], ['s3Get', s3Gets]),
  };
}

function invocations(count: number, memory: number, seconds: number = SCENARIO.functionSeconds): number {
  return cost('lambdaRequest', count) + cost('lambdaArm', count * seconds * memory);
}

function times(dollars: Dollars, factor: number): Dollars {
  return Object.fromEntries(Object.entries(dollars).map(([service, amount]) => [service, amount * factor]));
}

/** The sum, service by service. */
export function merged(...several: readonly Dollars[]): Dollars {
  const total: Dollars = {};
  for (const dollars of several)
    for (const service of SERVICES)
      if (dollars[service] !== undefined) total[service] = (total[service] ?? 0) + dollars[service];
  return total;
}

export function sumOf(dollars: Dollars): number {
  return Object.values(dollars).reduce((sum, amount) => sum + amount, 0);
}
