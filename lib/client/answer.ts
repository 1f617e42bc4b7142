import type { Client } from 'openapi-fetch';
import { MASK } from '../contract/mask.ts';
import type { components, paths } from './api-types.ts';
import { dataOf } from './data-of.ts';
import { RequestError } from './errors.ts';
import { mayHaveTakenEffect, Retries, type RetryPolicy, unknownOutcome, unreadable } from './repeat.ts';

type Schemas = components['schemas'];

/**
 * Answers a question once. After a lost answer, the question itself shows whether the request took effect.
 * @throws RequestError, UnreachableError, which says so if the request may have taken effect
 */
export async function answer(
  api: Client<paths>,
  policy: RetryPolicy,
  { id, ...body }: { readonly id: string } & Schemas['Answer'],
): Promise<Schemas['Job']> {
  const params = { path: { id } };
  const retries = new Retries(policy);
  for (let isLost = false; ; ) {
    try {
      return await dataOf(api.POST('/api/v1/jobs/{id}/answers', { params, body }));
    } catch (error) {
      const isRefused = isLost && error instanceof RequestError && error.status === 400;
      isLost ||= mayHaveTakenEffect(error, policy);
      try {
        if (!isRefused) await retries.failed(error);
        if (!isLost) continue;
        const job = await answeredJob(api, { id, ...body }).catch((failure: unknown) => {
          throw unreadable(failure, error);
        });
        if (job !== undefined) return job;
      } catch (failure) {
        if (!isLost) throw failure;
        const what = `the question was answered; read the questions of job ${id} before you repeat it`;
        throw unknownOutcome(failure, policy, what);
      }
      if (isRefused) throw error;
    }
  }
}

/** @returns the job if its question has this answer */
async function answeredJob(
  api: Client<paths>,
  { id, question_id, answer: text }: { readonly id: string } & Schemas['Answer'],
): Promise<Schemas['Job'] | undefined> {
  const params = { path: { id } };
  const { items } = await dataOf(api.GET('/api/v1/jobs/{id}/questions', { params }));
  const question = items.find((one) => one.id === question_id);
  if (question === undefined || !(await hasTaken(api, question, text))) return undefined;
  return await dataOf(api.GET('/api/v1/jobs/{id}', { params }));
}

/** Whether a question has this answer. Once the agent has got it, its secrets are masked: it may be that of another. */
async function hasTaken(api: Client<paths>, question: Schemas['Question'], text: string): Promise<boolean> {
  if (question.answer === text) return true;
  if (question.answer === null || !isMasked(question.answer, text)) return false;
  return (await dataOf(api.GET('/api/v1/session'))).name === question.answered_by;
}

/** Whether a text with some parts masked is the given one. */
function isMasked(masked: string, text: string): boolean {
  const [first = '', ...others] = masked.split(MASK);
  const last = others.pop();
  if (last === undefined || !text.startsWith(first) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.endsWith(last) && text.length - last.length >= at;
}
