import { createTransitions } from '../../lib/api/runtime/services.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { wholeView } from '../../lib/api/serve-action.ts';
import { answerQuestion as route } from '../../lib/contract/routes/questions.ts';
import { answerQuestion } from '../../lib/jobs/questions/questions.ts';

/** `POST /jobs/{id}/answers` */
export const handler = handleJob(route, createTransitions, async ({ body }, { core, principal }, context, found) => {
  const job = await found;
  const { question_id: questionId, answer } = body;
  const changed = await answerQuestion(context, job, { questionId, answer, by: principal.name });
  return { body: await wholeView(changed, context, core.env.PROMPTQ_TIMEOUT_UNIT) };
});
