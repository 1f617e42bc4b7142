import { ApiKey, CfnUsagePlanKey, type RestApiBase, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { OriginSecret } from './origin-secret.ts';

interface GatewayKeysProps {
  readonly api: RestApiBase;
  readonly deployment: Deployment;
  readonly originSecret: OriginSecret;
}

/**
 * The keys that API Gateway requires before it runs a function: the current one and, during a rotation of the origin
 * secret, the previous one, which the distribution may still send. If functions refused calls to API Gateway's own
 * address, each call would cost an invocation and use the account's concurrency. Functions see the key in every event,
 * so it is derived from the origin secret and reveals nothing about it.
 */
export class GatewayKeys extends Construct {
  constructor(scope: Construct, id: string, { api, deployment, originSecret }: GatewayKeysProps) {
    super(scope, id);
    const plan = new UsagePlan(this, 'Plan', {
      description: 'What may call this API at all: the distribution of its deployment',
      apiStages: [{ api, stage: api.deploymentStage }],
    });
    const present = deployment.originSecretVersion;
    for (const version of [present, present - 1].filter((one) => one > 0)) {
      // Each version has separate resources that never change: two keys can't share a value, not even briefly.
      const key = new ApiKey(this, `Version${version}`, {
        description: `${deployment.deploymentName}: sent by CloudFront with each call, version ${version}`,
        value: originSecret.gatewayKeyOf(version),
      });
      new CfnUsagePlanKey(this, `InPlan${version}`, {
        usagePlanId: plan.usagePlanId,
        keyId: key.keyId,
        keyType: 'API_KEY',
      });
    }
  }
}
