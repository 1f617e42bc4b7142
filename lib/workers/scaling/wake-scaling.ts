import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { requestLimits } from '../../platform/aws/request-limits.ts';

/** Invokes the function that launches workers, without waiting for it. */
type WakeScaling = () => Promise<void>;

/** Without a function, workers are started by other means and there is nothing to wake. */
export function createWakeScaling({
  SCALE_WORKERS_FUNCTION: FunctionName,
}: {
  SCALE_WORKERS_FUNCTION?: string | undefined;
}): WakeScaling {
  if (FunctionName === undefined) return async () => undefined;
  const client = new LambdaClient({ maxAttempts: 2, requestHandler: requestLimits() });
  return async () => {
    await client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event' }));
  };
}
