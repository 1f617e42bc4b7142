import { CustomResource, Duration, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { originSecretEnv } from '../../platform/config/function-env.ts';
import { STORE_FORMAT } from '../../platform/store-format.ts';
import type { DataStack } from '../data/data-stack.ts';
import { KEEP_ORIGIN_SECRET } from '../functions/bundle-functions.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import type { EnvironmentOf } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';

/** Longer than a few calls of the Parameter Store take, with retries. */
const KEEP_TIMEOUT = Duration.seconds(30);
/** How long a deployment waits for a missing response: Lambda retries a failed call twice, up to 3 minutes later. */
const ANSWER_TIMEOUT = Duration.minutes(6);

interface OriginSecretProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  /** The code of a function. */
  readonly codeOf: (functionId: string) => Code;
}

/**
 * The secret by which the distribution proves itself: created and stored outside of templates by a function. The API's
 * functions get its digest, API Gateway the matching key.
 */
export class OriginSecret extends Construct {
  /** Digests of the accepted secrets, `,`-separated; not secret themselves. */
  readonly digests: string;
  readonly #resource: CustomResource;
  readonly #keeper: ServiceFunction;

  constructor(scope: Construct, id: string, props: OriginSecretProps) {
    super(scope, id);
    this.#keeper = keeper(this, 'Keep', {
      ...props,
      description: 'makes the secret by which the distribution proves itself',
      actions: ['ssm:GetParameter', 'ssm:PutParameter', 'ssm:DeleteParameters'],
    });
    this.#resource = resource(this, 'Secret', this.#keeper, {
      Brings: 'digests',
      Version: props.deployment.originSecretVersion,
      // The functions need the digests, so a refused format keeps them as they are.
      StoreFormat: STORE_FORMAT,
    });
    this.digests = this.#resource.getAttString('Digests');
  }

  /** The API key of a version. Read once: a key whose value changes would have to be replaced. */
  gatewayKeyOf(version: number): string {
    const key = resource(this, `GatewayKey${version}`, this.#keeper, { Brings: 'gateway-key', Version: version });
    key.node.addDependency(this.#resource);
    return key.getAttString('GatewayKey');
  }
}

/**
 * Reads the secret and its key for the distribution's stack, which inserts them where they are used and shows them
 * nowhere. It has its own function: CloudFormation doesn't let a custom resource change its function, and the api
 * stack's function changes when that stack is recreated.
 */
export class BroughtOriginSecret extends Construct {
  readonly value: string;
  readonly gatewayKey: string;

  /** @param props.changes a value that changes with the secret */
  constructor(scope: Construct, id: string, props: OriginSecretProps & { readonly changes: string }) {
    super(scope, id);
    const bringer = keeper(this, 'Bring', {
      ...props,
      description: 'brings the distribution the secret by which it proves itself',
      actions: ['ssm:GetParameter'],
    });
    const brought = resource(this, 'Proof', bringer, {
      Brings: 'value',
      Version: props.deployment.originSecretVersion,
      Changes: props.changes,
    });
    this.value = brought.getAttString('Value');
    this.gatewayKey = brought.getAttString('GatewayKey');
  }
}

function keeper(
  scope: Construct,
  id: string,
  {
    data,
    deployment,
    codeOf,
    description,
    actions,
  }: OriginSecretProps & { readonly description: string; readonly actions: string[] },
): ServiceFunction {
  const folder = `${data.secretsFolder}/origin-secret`;
  const environment: EnvironmentOf<typeof originSecretEnv> = { ORIGIN_SECRET_FOLDER: folder };
  return new ServiceFunction(scope, id, {
    description,
    code: codeOf(KEEP_ORIGIN_SECRET),
    environment,
    statements: [new PolicyStatement({ actions, resources: parameterArns(data, folder, deployment) })],
    memorySize: FUNCTION_MEMORY.trigger,
    timeout: KEEP_TIMEOUT,
    deployment,
  });
}

/** Of all versions so far. */
function parameterArns(data: Stack, folder: string, { originSecretVersion }: Deployment): string[] {
  return Array.from({ length: originSecretVersion }, (_, at) =>
    data.formatArn({ service: 'ssm', resource: 'parameter', resourceName: `${folder.slice(1)}/${at + 1}` }),
  );
}

function resource(
  scope: Construct,
  id: string,
  { resource: { functionArn } }: ServiceFunction,
  properties: Readonly<Record<string, string | number>>,
): CustomResource {
  return new CustomResource(scope, id, {
    serviceToken: functionArn,
    resourceType: 'Custom::PromptqOriginSecret',
    serviceTimeout: ANSWER_TIMEOUT,
    properties: { ...properties },
  });
}
