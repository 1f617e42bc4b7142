import type { SQSClient } from '@aws-sdk/client-sqs';
import { BindingSecretStore } from '../bindings/binding-secrets.ts';
import type { DeliverContext } from '../deployments/deliver-call.ts';
import type { TableClient } from '../platform/aws/clients.ts';
import type { DeliverEnv } from '../platform/config/function-env.ts';
import { registryOf } from '../platform/registry.ts';
import { createDeployments } from './create-deployments.ts';
import { createDispatchQueues, createJobStore } from './job-stores.ts';

/** Creates the service that makes signed calls. */
export function createDelivery(
  from: TableClient & { readonly env: DeliverEnv; readonly queues: SQSClient },
): DeliverContext {
  const { env, clock } = from;
  return {
    ...createDeployments(from),
    jobs: createJobStore(from),
    dispatchQueues: createDispatchQueues(from),
    clock,
    random: Math.random,
    secrets: new BindingSecretStore(registryOf(from)),
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    pauses: env.PROMPTQ_CALL_PAUSES,
  };
}
