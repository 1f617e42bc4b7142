import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import * as z from 'zod';

/**
 * How the gateway runs a function: loaded once, called with Lambda's context, for as long as its timeout allows, and
 * only while fewer functions run than the simulated account's concurrency.
 */

/** A Lambda handler; streaming handlers take the response stream between event and context. */
export type FunctionHandler = (...args: readonly unknown[]) => unknown;

const functionModule = z.object({ handler: z.custom<FunctionHandler>((value) => typeof value === 'function') });

/** Loads each function once, on its first call; the next call retries a failed load. */
export function functionLoader(
  load: (functionId: string) => Promise<unknown>,
): (functionId: string) => Promise<FunctionHandler> {
  const loaded = new Map<string, Promise<FunctionHandler>>();
  return async (functionId) => {
    const known = loaded.get(functionId);
    if (known !== undefined) return await known;
    const handler = load(functionId).then((module) => functionModule.parse(module).handler);
    loaded.set(functionId, handler);
    handler.catch(() => loaded.delete(functionId));
    return await handler;
  };
}

/** The context that Lambda passes with each call. */
export function lambdaContext(functionId: string, limitMs: number): Context {
  const endsAt = performance.now() + limitMs;
  const name = `promptq-${functionId.replace('.', '-')}`;
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: false,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    memoryLimitInMB: '512',
    getRemainingTimeInMillis: () => Math.max(0, Math.round(endsAt - performance.now())),
    done: noCallback,
    fail: noCallback,
    succeed: noCallback,
  };
}

/** A function has not answered within its time limit; it may still be running. */
export class TimedOutError extends Error {
  override readonly name = 'TimedOutError';

  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
  }
}

/** Awaits a call until its limit. @throws TimedOutError, or any error of the call */
export async function withinLimit<T>(call: Promise<T>, limitMs: number): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new TimedOutError(limitMs)), limitMs);
  try {
    return await Promise.race([call, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function noCallback(): never {
  throw new Error('handlers return promises; the runtime no longer supports the callbacks of Node 8');
}

/** Lambda's throttling: the account's concurrency is exhausted. */
export class LambdaThrottledError extends Error {
  override readonly name = 'LambdaThrottledError';

  constructor(concurrency: number) {
    super(`${concurrency} functions run, which is the simulated account's concurrency`);
  }
}

/**
 * Lambda's account concurrency for the functions behind one gateway, without triggers.
 * @param concurrency undefined: no limit
 * @returns a function that runs another, counted until its promise settles. @throws LambdaThrottledError
 */
export function lambdaConcurrency(concurrency: number | undefined): <T>(invoke: () => Promise<T>) => Promise<T> {
  let running = 0;
  return async (invoke) => {
    if (concurrency !== undefined && running >= concurrency) throw new LambdaThrottledError(concurrency);
    running += 1;
    try {
      return await invoke();
    } finally {
      running -= 1;
    }
  };
}
