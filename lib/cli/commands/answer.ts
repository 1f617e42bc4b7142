import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { harmless } from '../base/terminal.ts';

interface Options {
  readonly question?: string;
  readonly json?: true;
}

export const run: CommandRun<Options> = async (context, [id = '', answer = ''], { question, json }) => {
  const client = await clientOf(context);
  const params = { path: { id } };
  const questionId = question ?? (await dataOf(client.api.GET('/api/v1/jobs/{id}', { params }))).question?.id;
  if (questionId === undefined) throw usageError(`job ${id} has no question`);
  const job = await client.answer(id, { question_id: questionId, answer });
  if (json) await context.terminal.printJson(job);
  else await context.terminal.print(`${job.status}: ${harmless(job.state_reason.message)}`);
  return EXIT.succeeded;
};
