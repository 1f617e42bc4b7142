import { EventEmitter } from 'node:events';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { requestLimits } from '../platform/aws/request-limits.ts';

/** Calls the function that makes an export, without waiting for it. */
type WakeExports = (id: string) => Promise<void>;

const wakes = new EventEmitter();

/** Listens to wakes in this process. Only the local run can: in AWS the function is called by its name. */
export function onWake(listener: (id: string) => void): () => void {
  wakes.on('wake', listener);
  return () => wakes.off('wake', listener);
}

/** Lambda repeats a call that fails, twice, and keeps one that it can't make for hours. */
export function createWakeExports({
  MAKE_EXPORTS_FUNCTION: FunctionName,
}: {
  MAKE_EXPORTS_FUNCTION?: string | undefined;
}): WakeExports {
  if (FunctionName === undefined)
    return async (id) => {
      wakes.emit('wake', id);
    };
  const client = new LambdaClient({ maxAttempts: 2, requestHandler: requestLimits() });
  return async (id) => {
    const Payload = JSON.stringify({ id });
    await client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  };
}
