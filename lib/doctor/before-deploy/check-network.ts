import * as z from 'zod';
import type { Deployment } from '../../platform/config/deployment.ts';
import { type Finding, fault, ok } from '../finding.ts';
import { increase, quotaValue } from './check-quotas.ts';
import { aws } from './command.ts';

const VPC_QUOTA = { service: 'vpc', code: 'L-F678F1CE' } as const;

/**
 * Zones in which Fargate starts no task, or none on arm64 (use1-az3, where Lambda has refused subnets too), by their id,
 * which unlike the name is the same in each account. "Supported Regions for Amazon ECS on AWS Fargate" in the ECS guide.
 */
const UNSUPPORTED_ZONES: readonly string[] = ['use1-az3', 'usw1-az2', 'apne1-az3', 'cac1-az3'];

const vpcsSchema = z.object({
  Vpcs: z.array(z.object({ Tags: z.array(z.object({ Key: z.string(), Value: z.string() })).default([]) })),
});
const zonesSchema = z.object({
  AvailabilityZones: z.array(z.object({ ZoneName: z.string(), ZoneId: z.string() })),
});

/** Checks that the region takes one more network, unless the settings name one or the deployment has its own already. */
export async function checkVpcQuota({ network, deploymentName }: Deployment): Promise<Finding> {
  const check = 'VPC quota';
  if (network.vpcId !== undefined) return ok(check, `not needed: workers run in ${network.vpcId}`);
  const { Vpcs: vpcs } = vpcsSchema.parse(await aws('ec2', 'describe-vpcs'));
  const isOwn = ({ Key, Value }: { readonly Key: string; readonly Value: string }) =>
    Key === 'aws:cloudformation:stack-name' && Value === `${deploymentName}-worker`;
  if (vpcs.some(({ Tags }) => Tags.some(isOwn))) return ok(check, 'the deployment has its network');
  const limit = await quotaValue(VPC_QUOTA);
  const message = `${vpcs.length} of ${limit} networks exist in this region`;
  if (vpcs.length < limit) return ok(check, message);
  return fault(
    check,
    `${message}: the worker stack would fail with VpcLimitExceeded`,
    `${increase(VPC_QUOTA, limit + 1)} Or set "network" in cdk.json to an existing one: docs/deploy/aws.md, "The network".`,
  );
}

/** Checks that Fargate starts tasks in the zones of the workers. */
export async function checkZones({ network, workerArchitecture }: Deployment): Promise<Finding> {
  const known = zonesSchema
    .parse(await aws('ec2', 'describe-availability-zones', '--filters', 'Name=zone-type,Values=availability-zone'))
    .AvailabilityZones.toSorted((one, other) => one.ZoneName.localeCompare(other.ZoneName));
  const names = network.availabilityZones ?? (network.subnets && Object.keys(network.subnets)) ?? firstTwo(known);
  const zones = names.map((name) => ({ name, id: known.find(({ ZoneName }) => ZoneName === name)?.ZoneId }));
  const listed = zones.map(({ name, id }) => `${name} (${id ?? 'not in this region'})`).join(', ');
  const bad = zones.filter(({ id }) => id === undefined || UNSUPPORTED_ZONES.includes(id));
  if (bad.length === 0) return ok('zones', listed);
  const good = known.filter(({ ZoneId }) => !UNSUPPORTED_ZONES.includes(ZoneId)).map(({ ZoneName }) => ZoneName);
  return fault(
    'zones',
    `${listed}: Fargate starts no ${workerArchitecture} task in ${bad.map(({ name }) => name).join(', ')}, or the function of logins can't be there`,
    `Set "network": {"availabilityZones": ${JSON.stringify(good.slice(0, 2))}} in cdk.json.`,
  );
}

/** The zones that CloudFormation gives to a network whose zones are not chosen. */
function firstTwo(zones: readonly { readonly ZoneName: string }[]): string[] {
  return zones.slice(0, 2).map(({ ZoneName }) => ZoneName);
}
