import * as z from 'zod';
import type { Deployment } from '../../platform/config/deployment.ts';
import { type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { aws } from './command.ts';

/** Concurrent functions; with fewer, a few open pages can exhaust the API. */
const MIN_CONCURRENCY = 100;
const LAMBDA_QUOTA = { service: 'lambda', code: 'L-B99A9384' } as const;

const FARGATE_QUOTAS = {
  onDemand: { name: 'Fargate On-Demand', service: 'fargate', code: 'L-3032A538' },
  spot: { name: 'Fargate Spot', service: 'fargate', code: 'L-36FBB829' },
} as const;

const lambdaSchema = z.object({ AccountLimit: z.object({ ConcurrentExecutions: z.number() }) });
const quotaSchema = z.object({ Quota: z.object({ Value: z.number() }) });

/** Checks the account's limit of concurrent functions. */
export async function checkLambdaQuota(): Promise<Finding> {
  const { AccountLimit } = lambdaSchema.parse(await aws('lambda', 'get-account-settings'));
  const { ConcurrentExecutions: limit } = AccountLimit;
  const message = `${limit} functions at once, for all that runs in this account and region`;
  if (limit >= MIN_CONCURRENCY) return ok('Lambda quota', message);
  return warning(
    'Lambda quota',
    `${message}: a few open pages can keep the API from answering`,
    increase(LAMBDA_QUOTA, 1_000),
  );
}

/** Checks that the account can run as many workers as the settings allow. */
export async function checkFargateQuotas({ maxWorkers, spotWeight, workerSize }: Deployment): Promise<Finding[]> {
  const spot = Math.ceil((maxWorkers * spotWeight) / 100);
  const onDemand = Math.ceil((maxWorkers * (100 - spotWeight)) / 100);
  const wanted = [
    { quota: FARGATE_QUOTAS.onDemand, workers: onDemand },
    { quota: FARGATE_QUOTAS.spot, workers: spot },
  ].filter(({ workers }) => workers > 0);
  return await Promise.all(wanted.map(async (one) => await checkFargateQuota({ ...one, vcpus: workerSize.vcpus })));
}

async function checkFargateQuota({
  quota,
  workers,
  vcpus,
}: {
  readonly quota: (typeof FARGATE_QUOTAS)[keyof typeof FARGATE_QUOTAS];
  readonly workers: number;
  /** Of one worker. */
  readonly vcpus: number;
}): Promise<Finding> {
  const check = `${quota.name} quota`;
  const limit = await quotaValue(quota);
  const message = `${limit} vCPU; ${workers} workers (maxWorkers) take ${workers * vcpus}`;
  if (limit >= workers * vcpus) return ok(check, message);
  const advice = `${increase(quota, workers * vcpus)} Or lower maxWorkers.`;
  if (limit < vcpus) return fault(check, `${message}: no worker can start`, advice);
  return warning(check, `${message}: further launches fail and are tried again`, advice);
}

/** The account's value; AWS's default if it has none. */
export async function quotaValue({
  service,
  code,
}: {
  readonly service: string;
  readonly code: string;
}): Promise<number> {
  const args = ['--service-code', service, '--quota-code', code];
  try {
    return quotaSchema.parse(await aws('service-quotas', 'get-service-quota', ...args)).Quota.Value;
  } catch (error) {
    if (!inWords(error).includes('NoSuchResource')) throw error;
    return quotaSchema.parse(await aws('service-quotas', 'get-aws-default-service-quota', ...args)).Quota.Value;
  }
}

/** The command that asks for a higher value. */
export function increase(
  { service, code }: { readonly service: string; readonly code: string },
  value: number,
): string {
  return `\`aws service-quotas request-service-quota-increase --service-code ${service} --quota-code ${code} --desired-value ${value}\`; AWS takes hours to days.`;
}
