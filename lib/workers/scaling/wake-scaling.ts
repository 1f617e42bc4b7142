import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { requestLimits } from '../../platform/aws/request-limits.ts';

/** Has the function that launches workers decide now, without waiting for it. */
export type WakeScaling = () => Promise<void>;

/** Without a function somebody else sees to it that there are workers, and nothing is to be done. */
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
