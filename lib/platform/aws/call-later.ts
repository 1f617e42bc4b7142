import { EventEmitter } from 'node:events';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { requestLimits } from './request-limits.ts';

/** The functions that others call without waiting for them, each about one id. */
export type CalledLater = 'make-exports' | 'read-feed' | 'poll-telegram' | 'reconcile-jobs';

const calls = new EventEmitter();

/** Listens to the calls of this process. Only the local run can: in AWS the function is called by its name. */
export function onCallLater(name: CalledLater, listener: (id: string) => void): () => void {
  calls.on(name, listener);
  return () => calls.off(name, listener);
}

/**
 * Calls one of these functions, without waiting for it. Lambda repeats a call that fails, twice, and keeps one that it
 * can't make for hours.
 * @param FunctionName in AWS; undefined: this process listens
 */
export function createCallLater(name: CalledLater, FunctionName: string | undefined): (id: string) => Promise<void> {
  if (FunctionName === undefined)
    return async (id) => {
      calls.emit(name, id);
    };
  const client = new LambdaClient({ maxAttempts: 2, requestHandler: requestLimits() });
  return async (id) => {
    const Payload = JSON.stringify({ id });
    await client.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload }));
  };
}
