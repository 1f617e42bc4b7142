import type { Core } from '../../lib/api/runtime/core.ts';
import { handleJob } from '../../lib/api/serve.ts';
import { createJobStore } from '../../lib/composition/services.ts';
import { listQuestions as route } from '../../lib/contract/routes/questions.ts';
import { listQuestions } from '../../lib/jobs/questions/questions.ts';
import { QuestionStore } from '../../lib/jobs/store/question-store.ts';

const open = (core: Core) => ({ jobs: createJobStore(core), questions: new QuestionStore(core.registry) });

/** `GET /jobs/{id}/questions` */
export const handler = handleJob(route, open, async (_input, _call, { questions }, found) => {
  return { body: { items: await listQuestions(questions, await found) } };
});
