import type { Client } from 'openapi-fetch';
import type { components, paths } from './api-types.ts';
import { dataOf } from './data-of.ts';
import { RequestError } from './errors.ts';
import { Retries, type RetryPolicy } from './repeat.ts';

type Schemas = components['schemas'];

/**
 * Answers a question once. After a lost answer, the question itself shows whether the request took effect.
 * @throws RequestError, UnreachableError
 */
export async function answer(
  api: Client<paths>,
  policy: RetryPolicy,
  { id, ...body }: { readonly id: string } & Schemas['Answer'],
): Promise<Schemas['Job']> {
  const params = { path: { id } };
  const retries = new Retries(policy);
  for (let isLost = false; ; isLost = true) {
    try {
      return await dataOf(api.POST('/api/v1/jobs/{id}/answers', { params, body }));
    } catch (error) {
      const isRefused = isLost && error instanceof RequestError && error.status === 400;
      if (!isRefused) await retries.failed(error);
      const { items } = await dataOf(api.GET('/api/v1/jobs/{id}/questions', { params }));
      const question = items.find((one) => one.id === body.question_id);
      if (question?.answer === body.answer) return await dataOf(api.GET('/api/v1/jobs/{id}', { params }));
      if (isRefused) throw error;
    }
  }
}
