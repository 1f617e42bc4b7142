import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { SecretName } from '../../access/deployment-secrets.ts';
import { enterDeployment } from '../../local/operator/operator-environment.ts';
import { queueClient, tableClient } from '../../platform/aws/clients.ts';
import { readDeployment } from '../../platform/config/deployment.ts';
import { triggerEnv } from '../../platform/config/function-env.ts';
import { readEnv } from '../../platform/config/read-env.ts';
import { secretPlaces, secretsPath } from '../../platform/config/secrets-path.ts';
import { registryOf } from '../../platform/registry.ts';
import { examine, type Finding, fault, inWords, ok, warning } from '../finding.ts';
import { examineTokens } from '../service/check-tokens.ts';
import { examineService } from '../service/examine-service.ts';
import { openService, type Service } from '../service/service.ts';
import type { TrialJob } from '../service/try-job.ts';
import { checkOutput, outputOf } from '../stores/check-output.ts';
import { checkQueues } from '../stores/check-queues.ts';
import { namedBy, namedSecrets } from '../stores/named-secrets.ts';
import { checkAlarms } from './check-alarms.ts';
import { checkMail } from './check-mail.ts';
import { checkParameters, type WantedSecret } from './check-parameters.ts';
import { checkStacks, type DeployedStacks } from './check-stacks.ts';

const RIGHTS = 'May these credentials read it?';

interface DeploymentTarget {
  readonly deploymentName: string;
  /** Settings as for `cdk -c promptq=`, or those of this checkout's cdk.json. */
  readonly settings: unknown;
  /** Those of cdk.json, of which JSON in `settings` replaces some. */
  readonly file: object;
  /** undefined: from the outputs of the stacks. */
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly version: string;
  readonly job: TrialJob | undefined;
}

/** Checks a deployment in AWS: settings, stacks, secrets, alarms, queues, and, with a token, the service. */
export async function examineDeployment(target: DeploymentTarget): Promise<Finding[]> {
  const { deploymentName, token } = target;
  const { findings: ofSettings, secrets, mailFrom } = checkSettings(target);
  let deployed: { findings: Finding[]; stacks: DeployedStacks };
  try {
    deployed = await checkStacks(new CloudFormationClient({}), deploymentName);
  } catch (error) {
    const advice = 'AWS credentials and a region are needed: AWS_PROFILE and AWS_REGION, for example.';
    return [...ofSettings, fault('stacks', `could not be looked at: ${inWords(error)}`, advice)];
  }
  const { findings, stacks } = deployed;
  const alarms = await examine('alarms', async () => await checkAlarms(stacks.alarms), RIGHTS);
  const mail = mailFrom === undefined ? [] : await examine('mail', async () => await checkMail(mailFrom), RIGHTS);
  const baseUrl = target.url ?? stacks.outputs.get('ConsoleUrl');
  const service =
    baseUrl === undefined || token === undefined ? undefined : openService({ baseUrl, token, isLocal: false });
  const examined = { deploymentName, stacks, secrets, service, comesWithDeployment: enforcesScopes(target) };
  const data = stacks.names.includes(`${deploymentName}-data`)
    ? await examine('data', async () => await examineData(examined), RIGHTS)
    : [];
  return [...ofSettings, ...findings, ...alarms, ...mail, ...data, ...(await lookAtService(baseUrl, service, target))];
}

async function lookAtService(
  baseUrl: string | undefined,
  service: Service | undefined,
  target: DeploymentTarget,
): Promise<Finding[]> {
  if (baseUrl === undefined) return [fault('service', 'no stack says where it is', 'Say it with --url.')];
  if (service === undefined)
    return [
      warning(
        'service',
        `at ${baseUrl} was not looked at: there is no token`,
        'Give one in PROMPTQ_TOKEN; `npm run token -- --stack NAME-data create --name doctor --scopes admin` makes one.',
      ),
    ];
  return await examineService(service, target);
}

interface ExaminedData {
  readonly deploymentName: string;
  readonly stacks: DeployedStacks;
  readonly secrets: readonly [SecretName, string][];
  readonly service: Service | undefined;
  readonly comesWithDeployment: boolean;
}

/** Checks the data stack's contents: queues, tokens, and the secrets that the registry requires. */
async function examineData(examined: ExaminedData): Promise<readonly Finding[]> {
  const { deploymentName, stacks, secrets } = examined;
  const stack = `${deploymentName}-data`;
  await enterDeployment({ stack, home: '' });
  const env = readEnv(triggerEnv);
  const registry = registryOf({ ...tableClient(), env });
  const lookAtSecrets = async () => {
    const path = secretsPath({ deploymentName });
    const wanted: WantedSecret[] = [
      ...secrets.map(([name, need]) => ({ places: [`/${stack}/${name}`], need })),
      ...(await namedSecrets(registry)).map(({ name, profile }) => ({
        places: secretPlaces(name, profile).map((place) => `${path}${place}`),
        need: `${namedBy(profile)} names it`,
      })),
    ];
    return await checkParameters(new SSMClient({}), wanted, stacks.parameters);
  };
  return [
    ...(await examine('queues', async () => await checkQueues(queueClient(), env), RIGHTS)),
    ...(await examine('secrets', lookAtSecrets, RIGHTS)),
    ...(await examine('output', async () => await checkOutput(outputOf(registry, env)), RIGHTS)),
    ...(await examine('token scopes', async () => await examineTokens(registry, examined), RIGHTS)),
  ];
}

/** Whether the next deployment from this checkout enforces scopes. */
function enforcesScopes({ settings, file, deploymentName }: DeploymentTarget): boolean {
  try {
    const next = readDeployment(settings, file);
    return next.deploymentName === deploymentName && next.scopeEnforcement;
  } catch {
    return false;
  }
}

interface ExaminedSettings {
  readonly findings: Finding[];
  /** The secrets that they require, each with the reason. */
  readonly secrets: [SecretName, string][];
  readonly mailFrom?: string | undefined;
}

/** The settings of the deployment. */
function checkSettings(target: DeploymentTarget): ExaminedSettings {
  try {
    const settings = readDeployment(target.settings, target.file);
    if (settings.deploymentName !== target.deploymentName) return { findings: [], secrets: [] };
    return {
      findings: [ok('settings', 'those of the next deployment are right')],
      mailFrom: settings.mailFrom,
      secrets: [
        ...(settings.perimeterSources.length > 0 ? [['perimeter-tokens', 'perimeterSources are set'] as const] : []),
        ...(Object.keys(settings.telegramUsers).length > 0
          ? [['telegram-bot-token', 'telegramUsers are set'] as const]
          : []),
      ].map(([name, need]) => [name, need]),
    };
  } catch (error) {
    return {
      findings: [fault('settings', inWords(error), 'Set them right: no deployment can go out.')],
      secrets: [],
    };
  }
}
