import * as z from 'zod';
import { type Listener, listenerSchema } from './account.ts';

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
export const loginReplySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prompt'), prompt: loginPromptSchema }),
  z.object({ kind: z.literal('gone') }),
  z.object({ kind: z.literal('silent') }),
]);
export type LoginReply = z.output<typeof loginReplySchema>;

/** A login, and where its process listens. */
export const loginQuestionSchema = z.object({ login_id: z.string(), listener: listenerSchema });
export type LoginQuestion = z.output<typeof loginQuestionSchema>;

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
