import { Logger } from '@aws-lambda-powertools/logger';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { REQUEST_TIMEOUT_MS, requestLimits } from '../platform/aws/request-limits.ts';
import { askLogin, type LoginQuestion, type LoginReply, loginReplySchema } from './ask-login.ts';

const log = new Logger({ serviceName: 'promptq-accounts' });

/** Asks the process of a login for the code. */
export type AskLogin = (question: LoginQuestion) => Promise<LoginReply>;

/**
 * Asks for the code directly where workers can be reached, otherwise through the function of this name, which is in the
 * workers' network.
 */
export function createLoginReader({ LOGIN_READER_FUNCTION }: { LOGIN_READER_FUNCTION?: string | undefined }): AskLogin {
  if (LOGIN_READER_FUNCTION === undefined) return askLogin;
  // The function calls a worker, which takes longer than a call to an AWS service.
  const requestHandler = { ...requestLimits(), requestTimeout: 2 * REQUEST_TIMEOUT_MS };
  const client = new LambdaClient({ maxAttempts: 2, requestHandler });
  return async (question) => {
    const invocation = new InvokeCommand({ FunctionName: LOGIN_READER_FUNCTION, Payload: JSON.stringify(question) });
    // Lambda takes the network of a function that has not run for weeks, and refuses calls until it is back.
    const { Payload, FunctionError } = await client.send(invocation).catch((error: Error) => {
      log.warn('the function that asks for the code could not be called', error);
      return { Payload: undefined, FunctionError: undefined };
    });
    // The cause is in that function's own log.
    if (FunctionError !== undefined || Payload === undefined) return { kind: 'silent' };
    return loginReplySchema.parse(JSON.parse(new TextDecoder().decode(Payload)));
  };
}
