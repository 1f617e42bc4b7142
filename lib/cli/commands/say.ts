import { dataOf } from '../../client/data-of.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { replayNote } from '../base/replay-note.ts';
import { table } from '../base/table.ts';

interface Options {
  readonly idempotencyKey?: string;
  readonly onlyNow?: true;
  readonly json?: true;
}

/** Sends a message if there is a text, then shows the messages of the job. */
export const run: CommandRun<Options> = async (context, [id = '', text], { idempotencyKey, onlyNow, json }) => {
  const client = await clientOf(context);
  const params = { path: { id } };
  if (text !== undefined) {
    const key = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey };
    const said = await client.say(id, { text, ...key, ...(onlyNow && { only_now: true }) });
    const { id: message, replayed, differs } = said;
    // The list may fail. A message that is sent again is another one.
    const isKnown = idempotencyKey !== undefined && replayed;
    await context.terminal.note(isKnown ? replayNote(`message ${message}`, differs) : `message ${message} is accepted`);
  }
  const messages = await dataOf(client.api.GET('/api/v1/jobs/{id}/messages', { params }));
  if (json) await context.terminal.printJson(messages);
  else {
    const rows = messages.items.map((message) => [
      message.id,
      message.status,
      message.created_at,
      message.next_job_id ?? '',
      message.text,
    ]);
    await context.terminal.print(table(['ID', 'STATUS', 'SENT', 'NEXT JOB', 'TEXT'], rows));
  }
  return EXIT.succeeded;
};
