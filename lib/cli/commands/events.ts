import { dataOf } from '../../client/data-of.ts';
import type { Schemas } from '../../client/promptq.ts';
import { LIMITS } from '../../contract/limits.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { CommandRun } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { table } from '../base/table.ts';

interface Options {
  readonly follow?: true;
  readonly after?: string;
  readonly job?: string;
  readonly project?: string;
  readonly type?: string;
  readonly json?: true;
}

/** How far back the events are that are printed, without `--after`. */
const DAY_MS = 86_400_000;

/** Prints existing events, or follows the feed until it is stopped. */
export const run: CommandRun<Options> = async (context, _args, { follow, after, json, ...filters }) => {
  const { terminal } = context;
  const client = await stoppableClient(context);
  const since = new Date(Date.now() - DAY_MS).toISOString();
  let from: { after: string } | { since: string } = { since };
  if (after !== undefined) from = { after };
  else if (follow) from = { after: 'end' };
  const wait = follow && { wait: LIMITS.statusWaitSeconds };
  for (;;) {
    const query = { ...filters, ...from, ...wait, limit: LIMITS.events.list.max };
    // The other media type is a stream, which it does not ask for.
    const page = (await dataOf(client.api.GET('/api/v1/events', { params: { query } }))) as Schemas['EventPage'];
    if (page.missed) await terminal.note(`events of more than ${LIMITS.events.days} days ago are left out`);
    for (const event of page.items)
      if (json) await terminal.printJson(event);
      else await terminal.print(lineOf(event));
    from = { after: page.next_cursor };
    if (!follow && !page.has_more) return EXIT.succeeded;
  }
};

function lineOf({ time, type, job_id, attempt, status, reason, project, subject }: Schemas['Event']): string {
  if (status === null || job_id === null || attempt === null || project === null)
    return table(
      [
        time,
        type.padEnd(TYPE_WIDTH),
        ...[subject?.name, job_id, subject?.why ?? reason, project].flatMap((part) => part ?? []),
      ],
      [],
    );
  const state = reason === null ? status : `${status} (${reason})`;
  return table([time, type.padEnd(TYPE_WIDTH), job_id, `attempt ${attempt}`, state, project], []);
}

const TYPE_WIDTH = 20;
