import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DeployBindingStore } from '../bindings/deploy-binding-store.ts';
import { DeliveryQueue } from '../deployments/calls/delivery-queue.ts';
import { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import type { TriggerEnv } from '../platform/config/function-env.ts';

/** What deployments need, beyond what changes jobs. */
export function createDeployments(from: {
  readonly env: Pick<
    TriggerEnv,
    | 'REGISTRY_TABLE'
    | 'QUEUE_URL_DELIVERIES'
    | 'PROMPTQ_DEPLOY_COMMANDS'
    | 'PROMPTQ_PUBLIC_ORIGIN'
    | 'PROMPTQ_LINK_ORIGIN'
  >;
  readonly table: DynamoDBDocumentClient;
  readonly queues: SQSClient;
}) {
  const { env, table, queues } = from;
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return {
    bindings: new DeployBindingStore(registry),
    deployments: new JobDeploymentStore(registry),
    deliveries: new DeliveryQueue(queues, env.QUEUE_URL_DELIVERIES),
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
    publicUrl: env.PROMPTQ_LINK_ORIGIN ?? env.PROMPTQ_PUBLIC_ORIGIN,
  };
}
