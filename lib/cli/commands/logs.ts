import { damageOf } from '../../client/damage-of.ts';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { isTerminal } from '../../contract/statuses.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { draftError } from '../jobs/attend.ts';
import { copyOutput, outputStyle, printerOf, styleOf as styleOfResult } from '../jobs/output.ts';

interface LogsOptions {
  readonly follow?: true;
  readonly raw?: true;
  readonly stream?: 'stdout' | 'stderr' | 'all';
  readonly attempt?: number;
  readonly json?: true;
}

export async function run(context: Context, [id = '']: readonly string[], options: LogsOptions): Promise<number> {
  const client = await clientOf(context);
  await (options.follow ? followLogs : printLogs)(context, client, { id, options });
  return EXIT.succeeded;
}

async function followLogs(
  context: Context,
  client: Promptq,
  { id, options }: { readonly id: string; readonly options: LogsOptions },
): Promise<void> {
  const { stream = 'all', attempt, raw, json } = options;
  const followed = { stream, attempt, oneAttempt: attempt !== undefined };
  const result = await client.result(id);
  if (result.status === 'DRAFT') throw draftError(id);
  const style = stream === 'stderr' || raw ? 'raw' : styleOfResult(result);
  if (json) for await (const event of client.follow(id, followed)) await context.terminal.printJson(event);
  else await copyOutput(context, client, { id, ...followed, style });
}

async function printLogs(
  context: Context,
  client: Promptq,
  { id, options }: { readonly id: string; readonly options: LogsOptions },
): Promise<void> {
  const { stream = 'all', attempt, json } = options;
  const read = async (full: boolean): Promise<Schemas['JobLogs']> => {
    const query = { stream, ...(attempt !== undefined && { attempt }), ...(full && { full: '1' as const }) };
    // An answer as text is an event stream, which was not asked for.
    return (await dataOf(
      client.api.GET('/api/v1/jobs/{id}/logs', { params: { path: { id }, query } }),
    )) as Schemas['JobLogs'];
  };
  const logs = await read(json === true);
  if (json) return await context.terminal.printJson(logs);
  const style = await styleOf(client, id, options);
  const isPart = logs.stdout_truncated === true || logs.stderr_truncated === true;
  // Followed, an output of any length takes little memory.
  if (isPart && isTerminal(logs.status))
    return await copyOutput(context, client, { id, stream, attempt: logs.attempt, oneAttempt: true, style });
  const shown = isPart ? await read(true) : logs;
  const { stdout = '', stderr = '' } = shown;
  const printer = await printerOf(context.terminal, style);
  await printer.output({ stream: 'stdout', text: stdout, offset: 0 });
  await printer.output({ stream: 'stderr', text: stderr, offset: 0 });
  await printer.end(logs.status);
  for (const line of damageOf(shown)) await context.terminal.note(line);
}

/** stderr holds no events. */
async function styleOf(client: Promptq, id: string, { stream, raw }: LogsOptions) {
  return await outputStyle(client, id, stream === 'stderr' || raw);
}
