import { createTransitions } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { jobBody } from '../../lib/api/serve-action.ts';
import { answerQuestion as route } from '../../lib/contract/routes/questions.ts';
import { answerQuestion } from '../../lib/jobs/questions/answer-question.ts';
import { findJob } from '../../lib/jobs/store/find-job.ts';

/** `POST /jobs/{id}/answers` */
export const handler = handle(route, createTransitions, async ({ params, body }, { core, principal }, context) => {
  const job = await findJob(context.jobs, params.id);
  const { question_id: questionId, answer } = body;
  const changed = await answerQuestion(context, job, { questionId, answer, by: principal.name });
  return { body: await jobBody(changed, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
});
