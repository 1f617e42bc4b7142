import type { QuestionView } from '../../contract/schemas/jobs/question.ts';
import type { Job } from '../lifecycle/job.ts';
import type { QuestionStore } from '../store/question-store.ts';

/** All questions of a job, newest first. The job has the state of its newest; the rows have those of the others. */
export async function listQuestions(store: Pick<QuestionStore, 'list'>, job: Job): Promise<QuestionView[]> {
  const stored = await store.list(job.id);
  const views = stored.flatMap(({ id, answers, ...row }): QuestionView[] => {
    const current = job.question?.id === id ? job.question : row;
    // A question that its job never got.
    if (current.state === undefined) return [];
    const answer = answers.get(current.answer ?? '');
    return [
      {
        id,
        job_id: job.id,
        state: current.state as QuestionView['state'],
        question: row.question,
        options: row.options ?? [],
        default: row.default ?? null,
        attempt: row.attempt,
        asked_at: row.asked_at,
        deadline: row.due,
        answer: answer?.text ?? null,
        answered_by: answer?.by ?? null,
        answered_at: answer?.at ?? null,
      },
    ];
  });
  return views.toSorted((a, b) => b.asked_at.localeCompare(a.asked_at));
}
