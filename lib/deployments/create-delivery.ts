import type { SQSClient } from '@aws-sdk/client-sqs';
import { DispatchQueues, queueUrls } from '../jobs/dispatch/dispatch-queues.ts';
import { JobStore } from '../jobs/store/job-store.ts';
import type { TableClient } from '../platform/aws/clients.ts';
import type { DeliverEnv } from '../platform/config/function-env.ts';
import { registryOf } from '../platform/registry.ts';
import { BindingSecretStore } from './bindings/binding-secrets.ts';
import { createDeployments } from './create-deployments.ts';
import type { DeliverContext } from './deliver-call.ts';

/** Creates the service that makes signed calls. */
export function createDelivery(
  from: TableClient & { readonly env: DeliverEnv; readonly queues: SQSClient },
): DeliverContext {
  const { env, table, clock, queues } = from;
  return {
    ...createDeployments(from),
    jobs: new JobStore(table, env.JOBS_TABLE),
    dispatchQueues: new DispatchQueues(queues, queueUrls(env)),
    clock,
    random: Math.random,
    secrets: new BindingSecretStore(registryOf(from)),
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    pauses: env.PROMPTQ_CALL_PAUSES,
  };
}
