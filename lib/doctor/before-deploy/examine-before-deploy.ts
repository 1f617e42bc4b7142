import { type Deployment, readDeployment } from '../../platform/config/deployment.ts';
import { examine, type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { checkBootstrap, checkCloudFront, checkEcsRole } from './check-account-setup.ts';
import { checkCredentials } from './check-credentials.ts';
import { checkDocker } from './check-docker.ts';
import { checkLeftovers, checkUsers } from './check-leftovers.ts';
import { checkVpcQuota, checkZones } from './check-network.ts';
import { checkFargateQuotas, checkLambdaQuota } from './check-quotas.ts';

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
