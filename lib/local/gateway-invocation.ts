import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { z } from 'zod';

/** What Lambda calls; streaming handlers take the response stream between event and context. */
export type FunctionHandler = (...args: readonly unknown[]) => unknown;

const functionModule = z.object({ handler: z.custom<FunctionHandler>((value) => typeof value === 'function') });

/** Loads each function once, on its first call; a failed load is tried again at the next. */
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

/** The context that Lambda gives with each call. */
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

/** Waits for a call until its limit; whatever a call that is too late still does is its own matter. */
export async function withinLimit<T>(call: Promise<T>, limitMs: number): Promise<{ returned: T } | 'timed out'> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<'timed out'>((resolve) => {
    timer = setTimeout(() => resolve('timed out'), limitMs);
  });
  try {
    return await Promise.race([call.then((returned) => ({ returned })), limit]);
  } finally {
    clearTimeout(timer);
  }
}

function noCallback(): never {
  throw new Error('handlers return promises; the callbacks of Node 8 are not part of the runtime any more');
}
