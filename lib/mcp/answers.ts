import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Schemas } from '../client/promptq.ts';
import { quoted } from '../contract/input/legible.ts';

/** What a tool answers. */
export interface Answer {
  /** The outcome in a sentence, and what to do next. */
  readonly message: string;
  readonly isError?: boolean;
  readonly fields?: object;
  /** Of a job, which the client asks its user instead of returning this answer. */
  readonly question?: Schemas['Question'];
}

/** Bytes of an answer as JSON, both copies together: clients refuse longer ones, or fill the agent's context. */
export const ANSWER_LENGTH = 100_000;
/** The same of an answer whose caller has not asked for more. */
export const USUAL_LENGTH = 8_000;

/** The same JSON as text and as structure, because clients show one or the other to the agent. */
export function toolResult({ message, fields, isError = false }: Answer): CallToolResult {
  const structuredContent = { message, ...fields };
  return { content: [{ type: 'text', text: quoted(structuredContent) }], structuredContent, isError };
}

/** Whether an answer has no more than `length` bytes. */
export function fits(answer: Answer, length = ANSWER_LENGTH): boolean {
  return Buffer.byteLength(JSON.stringify(toolResult(answer))) <= length;
}

/** The first characters of a text, with `…` for the rest. */
export function startOf(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

/** The largest number from 0 to `most` that `isFine`; those below it are fine too. */
export function largest(most: number, isFine: (count: number) => boolean): number {
  if (isFine(most)) return most;
  let [fine, tooMuch] = [0, most];
  while (tooMuch - fine > 1) {
    const middle = Math.floor((fine + tooMuch) / 2);
    if (isFine(middle)) fine = middle;
    else tooMuch = middle;
  }
  return fine;
}

type State = Pick<Schemas['JobLifecycle'], 'status' | 'state_reason'>;

/** How a job is doing, for a tool that is about its outcome. */
export function outcome({ status, state_reason: reason }: State, onSuccess: string): Omit<Answer, 'fields'> {
  const { code, message } = reason;
  if (status === 'SUCCEEDED') return { message: onSuccess };
  if (status === 'FAILED') return { message: `The job failed: ${message} job_logs returns its output.`, isError: true };
  if (status === 'CANCELLED') return { message: `The job was cancelled: ${message}`, isError: true };
  if (status === 'DRAFT') return { message: 'The job is a draft, which no worker starts.' };
  if (code === 'account_required' || code === 'thread_stopped')
    return { message: `The job waits for a person. Tell your user: ${message} Then call wait_for_job again.` };
  if (code === 'question')
    return { message: 'The agent of the job asks your user a question. Call list_questions, then answer_question.' };
  return { message: `The job has not ended: ${message} Call wait_for_job again.` };
}
