import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { fields } from '../base/table.ts';
import { answerCommand } from '../jobs/attend.ts';
import { wholeList } from '../jobs/pages.ts';

export const run: CommandRun<{ readonly json?: true }> = async (context, [id], { json }) => {
  const client = await clientOf(context);
  const items = id === undefined ? await openQuestions(client) : await questionsOf(client, id);
  if (json) await context.terminal.printJson({ items });
  else if (items.length === 0) await context.terminal.note('no questions');
  else await context.terminal.print(items.map(described).join('\n\n'));
  return EXIT.succeeded;
};

async function questionsOf(client: Promptq, id: string): Promise<Schemas['Question'][]> {
  return (await dataOf(client.api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } } }))).items;
}

/** The questions that can be answered, of the jobs that wait for it. */
async function openQuestions(client: Promptq): Promise<Schemas['Question'][]> {
  const waiting = { needs: 'answer', order: 'oldest' } as const;
  const jobs = await wholeList((page) =>
    client.api.GET('/api/v1/jobs', { params: { query: { ...waiting, ...page } } }),
  );
  const found: Schemas['Question'][] = [];
  for (const { id } of jobs.items) found.push(...(await questionsOf(client, id)));
  return found.filter(({ state }) => state === 'open');
}

function described(question: Schemas['Question']): string {
  return fields([
    ['job', question.job_id],
    ['id', question.id],
    ['state', question.state],
    ['question', question.question],
    ['options', question.options.join(' | ')],
    ['default', question.default],
    ['deadline', question.deadline],
    ['answer', question.answer],
    ['answered by', question.answered_by],
    ['command', question.state === 'open' ? answerCommand(question.job_id, question.id) : null],
  ]);
}
