import { Logger } from '@aws-lambda-powertools/logger';
import type { Context } from 'aws-lambda';

/** What a function gets about its call. */
type Call = Pick<Context, 'awsRequestId'> & Partial<Pick<Context, 'getRemainingTimeInMillis'>>;

/**
 * Creates the handler of a function that no client calls. Its log lines carry the invocation's id; `run` adds context
 * by `log.appendKeys`, so that failures include it.
 * @param name file of the function, without its folder
 */
export function handleTrigger<E, A>(name: string, run: (event: E, log: Logger, call?: Call) => Promise<A>) {
  const log = new Logger({ serviceName: `promptq-${name}` });
  return async (event: E, context?: Call): Promise<A> => {
    const own = log.createChild({ persistentKeys: { request_id: context?.awsRequestId } });
    try {
      return await run(event, own, context);
    } catch (error) {
      own.error('failed', error as Error);
      throw error;
    }
  };
}
