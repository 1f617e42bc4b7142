import { dataOf } from '../../client/data-of.ts';
import type { Promptq } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

interface Options {
  readonly question?: string;
  readonly json?: true;
}

export const run: CommandRun<Options> = async (context, [id = '', answer = ''], { question, json }) => {
  const client = await clientOf(context);
  const questionId = question ?? (await currentQuestion(context, client, id));
  const job = await client.answer(id, { question_id: questionId, answer });
  if (json) await context.terminal.printJson(job);
  else await context.terminal.print(`${job.status}: ${harmless(job.state_reason.message)}`);
  return EXIT.succeeded;
};

/**
 * The open question of a job, or else its newest, whose answer the service refuses with the reason. It is named, because
 * the agent may have asked another one since the user read the questions.
 */
async function currentQuestion({ terminal }: Context, client: Promptq, id: string): Promise<string> {
  const { items } = await dataOf(client.api.GET('/api/v1/jobs/{id}/questions', { params: { path: { id } } }));
  const current = items.find(({ state }) => state === 'open') ?? items[0];
  if (current === undefined) throw usageError(`job ${id} has no question`);
  await terminal.note(`to question ${current.id}: ${current.question.replaceAll(/\s+/g, ' ')}`);
  return current.id;
}
