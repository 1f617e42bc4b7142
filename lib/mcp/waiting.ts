import { dataOf } from '../client/data-of.ts';
import { RequestError, UnreachableError } from '../client/errors.ts';
import type { Promptq, Schemas } from '../client/promptq.ts';
import { NEEDS_PERSON } from '../contract/statuses.ts';
import type { UserAnswer } from './asking.ts';

/** The state of a job when it has ended, needs a person, or the time is over. */
export async function waitForChange(
  client: Promptq,
  { id, seconds, signal }: { readonly id: string; readonly seconds: number; readonly signal: AbortSignal },
): Promise<Schemas['JobLifecycle']> {
  const over = AbortSignal.timeout(seconds * 1000);
  let last: Schemas['JobLifecycle'] | undefined;
  try {
    for await (const state of client.states(id, { signal: AbortSignal.any([signal, over]) })) {
      last = state;
      if (state.terminal || NEEDS_PERSON.has(state.state_reason.code)) break;
    }
  } catch (error) {
    if (!over.aborted || signal.aborted) throw error;
  }
  if (last === undefined) throw new UnreachableError(`it did not answer within ${seconds} seconds`);
  return last;
}

/** The question of a job that waits for an answer. */
export async function openQuestion(client: Promptq, id: string): Promise<Schemas['Question'] | undefined> {
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } } }));
  return items.find(({ state }) => state === 'open');
}

/**
 * Gives a job the answer of the client's user. One that comes too late changes nothing.
 * @throws RequestError for an answer that the API refuses, such as an empty one
 */
export async function giveAnswer(client: Promptq, id: string, { questionId, text }: UserAnswer): Promise<void> {
  if (text === null) return;
  try {
    await client.answer(id, { question_id: questionId, answer: text });
  } catch (error) {
    if (!isTooLate(error)) throw error;
  }
}

/** Only the refusal of an action that the job's state does not allow names that state. */
function isTooLate(error: unknown): boolean {
  return error instanceof RequestError && error.status === 400 && error.body.details?.state !== undefined;
}
