import * as z from 'zod';
import { type Deployment, readDeployment } from '../../platform/config/deployment.ts';
import { examine, type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { checkDocker } from './check-docker.ts';
import { checkLeftovers, checkUsers } from './check-leftovers.ts';
import { checkFargateQuotas, checkLambdaQuota, increase, quotaValue } from './check-quotas.ts';
import { aws, CommandError, run } from './command.ts';

const RIGHTS = 'May these credentials read it?';

interface Surroundings {
  /** From the CDK's context: an object, or JSON that replaces some settings of the file. */
  readonly settings: unknown;
  /** The settings of cdk.json. */
  readonly file?: object;
  /** The program with which the CDK builds images. */
  readonly docker: string;
  /** The environment's region; undefined: the profile's. */
  readonly region: string | undefined;
}

/** Checks the requirements of a first deployment: settings, Docker, account and region. Read-only. */
export async function examineBeforeDeploy(surroundings: Surroundings): Promise<Finding[]> {
  let settings: Deployment;
  try {
    settings = readDeployment(surroundings.settings, surroundings.file);
  } catch (error) {
    return [fault('settings', inWords(error), 'Correct cdk.json: `npx cdk synth` fails with the same words.')];
  }
  const [docker, account] = await Promise.all([
    checkDocker(surroundings.docker, settings.workerArchitecture),
    checkCredentials(surroundings.region),
  ]);
  return [
    ...checkSettings(settings),
    ...docker,
    ...account.findings,
    ...(account.canAsk ? await checkAccount(settings) : []),
  ];
}

function checkSettings({ deploymentName, adminEmail, signIn }: Deployment): Finding[] {
  const settings = ok('settings', `right, for the deployment ${deploymentName}`);
  if (adminEmail !== undefined || signIn !== undefined) return [settings];
  const advice =
    'Set "adminEmail" in cdk.json under promptq. A later deployment can add it, unless the user pool already has that address. Add further people by hand: docs/deploy/aws.md, "More people".';
  return [settings, warning('first user', 'there is none: no one can sign in to the console', advice)];
}

async function checkAccount(settings: Deployment): Promise<Finding[]> {
  const checks: [string, () => Promise<Finding | readonly Finding[]>][] = [
    ['bootstrap', checkBootstrap],
    ['ECS role', checkEcsRole],
    ['Lambda quota', checkLambdaQuota],
    ['Fargate quota', async () => await checkFargateQuotas(settings)],
    ['VPC quota', async () => await checkVpcQuota(settings)],
    ['zones', async () => await checkZones(settings)],
    ['CloudFront', checkCloudFront],
    ['stacks', async () => await checkLeftovers(settings.deploymentName)],
    ['users', async () => await checkUsers(settings)],
  ];
  return (await Promise.all(checks.map(async ([check, look]) => await examine(check, look, RIGHTS)))).flat();
}

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
async function checkVpcQuota({ network, deploymentName }: Deployment): Promise<Finding> {
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
async function checkZones({ network, workerArchitecture }: Deployment): Promise<Finding> {
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

/** The bootstrap version that stacks of this CDK require: `requiresBootstrapStackVersion` in their manifest. */
export const BOOTSTRAP_VERSION = 6;
const BOOTSTRAP_PARAMETER = '/cdk-bootstrap/hnb659fds/version';

const parameterSchema = z.object({ Parameter: z.object({ Value: z.coerce.number().int() }) });

/** Checks that the account and region are prepared for the CDK. */
async function checkBootstrap(): Promise<Finding> {
  const advice = '`npx cdk bootstrap`, once for each account and region.';
  try {
    const { Parameter } = parameterSchema.parse(await aws('ssm', 'get-parameter', '--name', BOOTSTRAP_PARAMETER));
    if (Parameter.Value >= BOOTSTRAP_VERSION) return ok('bootstrap', `version ${Parameter.Value}`);
    return fault('bootstrap', `version ${Parameter.Value}; ${BOOTSTRAP_VERSION} is needed`, advice);
  } catch (error) {
    if (!inWords(error).includes('ParameterNotFound')) throw error;
    return fault('bootstrap', 'this account and region are not prepared for the CDK', advice);
  }
}

/** Checks that ECS has its service-linked role in this account; the first cluster creates it, with a delay. */
export async function checkEcsRole(): Promise<Finding> {
  try {
    await aws('iam', 'get-role', '--role-name', 'AWSServiceRoleForECS');
    return ok('ECS role', 'the service-linked role is there');
  } catch (error) {
    if (!inWords(error).includes('NoSuchEntity')) throw error;
    return warning(
      'ECS role',
      'this account has never used ECS: the first cluster may fail with "Unable to assume the service linked role"',
      '`aws iam create-service-linked-role --aws-service-name ecs.amazonaws.com`, once for each account.',
    );
  }
}

/** Checks whether this account may create CloudFront distributions. No API reports it; an account that has one may. */
export async function checkCloudFront(): Promise<Finding> {
  const first = await aws('cloudfront', 'list-distributions', '--query', 'DistributionList.Items[0].Id');
  if (typeof first === 'string') return ok('CloudFront', 'this account has distributions');
  return warning(
    'CloudFront',
    'this account has no distribution yet, and no call says whether it may: new accounts have to be verified first',
    'If the console stack fails with "Your account must be verified before you can add new CloudFront resources", open a case with AWS Support (Account and billing), wait for it (days), and deploy again.',
  );
}

const identitySchema = z.object({ Account: z.string(), Arn: z.string() });

const INSTALL =
  'Install the AWS command line: https://docs.aws.amazon.com/cli/latest/userguide/getting-started-install.html.';

/**
 * Checks for credentials and a region. No other check of the account works without both.
 * @param givenRegion the environment's, which takes precedence over the profile's
 */
export async function checkCredentials(
  givenRegion: string | undefined,
): Promise<{ readonly findings: Finding[]; readonly canAsk: boolean }> {
  let region: string | undefined;
  try {
    region = givenRegion ?? (await configuredRegion());
    const { Account, Arn } = identitySchema.parse(await aws('sts', 'get-caller-identity', ...regional(region)));
    const credentials = ok('credentials', `account ${Account}, as ${Arn}`);
    return { findings: [credentials, assess(region)], canAsk: region !== undefined };
  } catch (error) {
    const isMissing = error instanceof CommandError && error.isMissing;
    const advice = isMissing
      ? INSTALL
      : '`aws configure sso` or `aws configure`; then AWS_PROFILE, if it is not the default.';
    return { findings: [fault('credentials', inWords(error), advice)], canAsk: false };
  }
}

async function configuredRegion(): Promise<string | undefined> {
  try {
    return (await run('aws', ['configure', 'get', 'region'])).trim() || undefined;
  } catch (error) {
    // A missing command is the subject of the next call.
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

/** The caller is the same in each region. */
function regional(region: string | undefined): string[] {
  return region === undefined ? ['--region', 'us-east-1'] : [];
}

function assess(region: string | undefined): Finding {
  if (region !== undefined) return ok('region', region);
  return fault(
    'region',
    'none is set: the CDK would take us-east-1',
    '`export AWS_REGION=…`, or `aws configure set region …`.',
  );
}
