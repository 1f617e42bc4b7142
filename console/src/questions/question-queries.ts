import { infiniteQueryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type Question = Schemas['Question'];
type Summary = Schemas['JobSummary'];

/** Milliseconds. */
const POLL_INTERVAL_MS = 10_000;
const COUNT_INTERVAL_MS = 30_000;

/** Jobs of one page of the inbox. */
const JOBS = 50;

/** A job that waits for an answer, and its question. */
export interface Waiting {
  readonly job: Summary;
  readonly question: Question;
}

/** The jobs that wait for an answer, the oldest first, with their questions, page by page. */
export const waitingQuery = infiniteQueryOptions({
  queryKey: ['questions'],
  initialPageParam: '',
  queryFn: async ({ pageParam: cursor }) => {
    const query = { needs: 'answer', order: 'oldest', limit: JOBS, ...(cursor !== '' && { cursor }) } as const;
    const { items, total, next_cursor } = await dataOf(api.GET('/api/v1/jobs', { params: { query } }));
    const waiting = await Promise.all(items.map(async (job) => ({ job, question: await openQuestion(job.id) })));
    return { total, next_cursor, items: waiting.filter((entry): entry is Waiting => entry.question !== undefined) };
  },
  getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  refetchInterval: POLL_INTERVAL_MS,
});

/** How many jobs wait for an answer. */
export const openCountQuery = {
  queryKey: ['questions', 'count'] as const,
  queryFn: async () => {
    const query = { needs: 'answer', limit: 1 } as const;
    return (await dataOf(api.GET('/api/v1/jobs', { params: { query } }))).total;
  },
  refetchInterval: COUNT_INTERVAL_MS,
};

/** The open question of a job; undefined: it was answered meanwhile. */
export function questionQuery(jobId: string, questionId: string) {
  return {
    queryKey: ['question', jobId, questionId] as const,
    queryFn: async () => (await openQuestion(jobId)) ?? null,
  };
}

/** All questions of a job, oldest first. A job shows its newest, so these are read again when that one changes. */
export function questionsQuery({
  id,
  question,
}: {
  readonly id: string;
  readonly question: { readonly id: string; readonly state: string } | null;
}) {
  return {
    queryKey: ['question', id, 'all', question?.id, question?.state] as const,
    queryFn: async () => (await questionsOf(id)).toReversed(),
    enabled: question !== null,
  };
}

async function openQuestion(id: string): Promise<Question | undefined> {
  return (await questionsOf(id)).find(({ state }) => state === 'open');
}

async function questionsOf(id: string): Promise<readonly Question[]> {
  const { items } = await dataOf(api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } } }));
  return items;
}

const WORDS = {
  rejected: 'The question was not answered',
  done: 'the question was answered',
  next: 'It is read again. If it is still shown, it has no answer yet.',
};

/** Answers a question. Everything that shows the job is read again. */
export function useAnswer({ job_id, id }: Pick<Question, 'job_id' | 'id'>, onAnswered: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (answer: string) =>
      await dataOf(
        api.POST('/api/v1/jobs/{id}/answers', {
          params: { path: { id: job_id } },
          body: { question_id: id, answer },
        }),
      ),
    onSuccess: onAnswered,
    // A notice, because the question may no longer be shown.
    onError: (error) => notify(writeFailure(error, WORDS)),
    onSettled: async () => await client.invalidateQueries(),
  });
}
