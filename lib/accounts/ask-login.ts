import { Logger } from '@aws-lambda-powertools/logger';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { REQUEST_TIMEOUT_MS, requestLimits } from '../platform/aws/request-limits.ts';
import { type Listener, listenerSchema } from './account.ts';

/**
 * The code of a login in progress is stored nowhere: a reader asks the worker's process that runs the login, at the
 * address and with the nonce of its record. In the cloud only one function is in the workers' network, so the API asks
 * through it; elsewhere the API asks directly. Silence is a separate reply, because it says nothing about the login.
 */

/** The header that carries the nonce. */
export const NONCE_HEADER = 'x-promptq-nonce';

/** The login process's answer to a caller with its nonce. All but the id are absent until the CLI has printed them. */
const loginPromptSchema = z.object({
  login_id: z.string(),
  verification_uri: z.string().optional(),
  user_code: z.string().optional(),
  expires_at: z.string().optional(),
});
export type LoginPrompt = z.output<typeof loginPromptSchema>;

/** `gone`: no such process listens there; `silent`: no answer, so its state is unknown. */
const loginReplySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), prompt: loginPromptSchema }),
  z.object({ kind: z.literal('gone') }),
  z.object({ kind: z.literal('silent') }),
]);
export type LoginReply = z.output<typeof loginReplySchema>;

/** A login, and where its process listens. */
export const loginQuestionSchema = z.object({ login_id: z.string(), listener: listenerSchema });
type LoginQuestion = z.output<typeof loginQuestionSchema>;

/** Asks a login's process, at its own address, for the prompt that the user needs. */
export async function askLogin({ login_id, listener }: LoginQuestion): Promise<LoginReply> {
  try {
    const answer = await fetch(urlOf(listener), {
      headers: { [NONCE_HEADER]: listener.nonce },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // Another process may have the port now.
    if (!answer.ok) return { kind: 'gone' };
    const { data: prompt } = loginPromptSchema.safeParse(await answer.json());
    return prompt?.login_id === login_id ? { kind: 'prompt', prompt } : { kind: 'gone' };
  } catch (error) {
    return { kind: GONE.has(codeOf(error)) ? 'gone' : 'silent' };
  }
}

/** Milliseconds. */
const TIMEOUT_MS = 3_000;

const GONE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'UND_ERR_SOCKET']);

function urlOf({ address, port }: Listener): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}/login`;
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** Asks the process of a login for the code. */
export type AskLogin = (question: LoginQuestion) => Promise<LoginReply>;

/**
 * Asks for the code directly where workers can be reached, otherwise through the function of this name, which is in the
 * workers' network.
 */
export function createLoginReader({ LOGIN_READER_FUNCTION }: { LOGIN_READER_FUNCTION?: string | undefined }): AskLogin {
  if (LOGIN_READER_FUNCTION === undefined) return askLogin;
  const log = new Logger({ serviceName: 'promptq-accounts' });
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
