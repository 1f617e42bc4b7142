import { CustomResource, Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { originSecretEnv } from '../config/env.ts';
import type { ApiStackProps } from './api-stack.ts';
import { KEEP_ORIGIN_SECRET } from './bundle-functions.ts';
import type { EnvironmentOf } from './process-environment.ts';
import { ServiceFunction } from './service-function.ts';

/** Longer than a few calls of the Parameter Store take, with their repetitions. */
const KEEP_TIMEOUT = Duration.seconds(30);
/** How long a deployment waits for an answer that doesn't come: Lambda repeats a failed call twice, 3 minutes later at the most. */
const ANSWER_TIMEOUT = Duration.minutes(6);

/**
 * The secret by which the distribution proves itself: made and kept outside of templates by a function of ours. The API's
 * functions get its digest, the console's stack the secret itself.
 */
export class OriginSecret extends Construct {
  /** Of the secrets that count, `,`-separated: nothing secret. */
  readonly digests: string;
  readonly #serviceToken: string;
  readonly #version: number;

  constructor(scope: Construct, id: string, { data, deployment, codeOf }: ApiStackProps) {
    super(scope, id);
    const folder = `${data.secretsFolder}/origin-secret`;
    const environment: EnvironmentOf<typeof originSecretEnv> = { ORIGIN_SECRET_FOLDER: folder };
    const keep = new ServiceFunction(this, 'Keep', {
      description: 'makes the secret by which the distribution proves itself',
      code: codeOf(KEEP_ORIGIN_SECRET),
      environment,
      statements: [
        new PolicyStatement({
          actions: ['ssm:GetParameter', 'ssm:PutParameter', 'ssm:DeleteParameters'],
          resources: versions(deployment.originSecretVersion).map((version) =>
            data.formatArn({ service: 'ssm', resource: 'parameter', resourceName: `${folder.slice(1)}/${version}` }),
          ),
        }),
      ],
      memorySize: 256,
      timeout: KEEP_TIMEOUT,
      deployment,
    });
    this.#serviceToken = keep.resource.functionArn;
    this.#version = deployment.originSecretVersion;
    this.digests = this.#resource(this, 'Secret', { Brings: 'digests' }).getAttString('Digests');
  }

  /** Brings the secret to where the distribution is made; it is shown nowhere, but written into what refers to it. */
  valueIn(scope: Construct): string {
    // Asked for anew whenever the secret is another.
    return this.#resource(scope, 'OriginSecret', { Brings: 'value', Digests: this.digests }).getAttString('Value');
  }

  #resource(scope: Construct, id: string, properties: Readonly<Record<string, string>>): CustomResource {
    return new CustomResource(scope, id, {
      serviceToken: this.#serviceToken,
      resourceType: 'Custom::PromptqOriginSecret',
      serviceTimeout: ANSWER_TIMEOUT,
      properties: { ...properties, Version: this.#version },
    });
  }
}

/** All that there have been. */
function versions(last: number): number[] {
  return Array.from({ length: last }, (_, at) => at + 1);
}
