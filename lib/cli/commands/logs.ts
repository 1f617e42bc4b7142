import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';
import { copyOutput } from '../jobs/answer.ts';

interface LogsOptions {
  readonly follow?: true;
  readonly stream?: 'stdout' | 'stderr' | 'all';
  readonly attempt?: number;
  readonly json?: true;
}

export async function run(context: Context, [id = '']: readonly string[], options: LogsOptions): Promise<number> {
  const client = await clientOf(context);
  const { stream = 'all', attempt } = options;
  const isOne = attempt !== undefined;
  if (!options.follow) await printLogs(context, client, { id, stream, attempt, json: options.json });
  else if (options.json)
    for await (const event of client.follow(id, { stream, attempt, oneAttempt: isOne }))
      await context.terminal.printJson(event);
  else await copyOutput(context, client, { id, stream, attempt, oneAttempt: isOne });
  return EXIT.succeeded;
}

async function printLogs(
  context: Context,
  client: Promptq,
  {
    id,
    stream,
    attempt,
    json,
  }: { id: string; stream: 'stdout' | 'stderr' | 'all'; attempt: number | undefined; json: true | undefined },
): Promise<void> {
  const read = async (full: boolean): Promise<Schemas['JobLogs']> => {
    const query = { stream, ...(attempt !== undefined && { attempt }), ...(full && { full: '1' as const }) };
    // An answer as text is an event stream, which was not asked for.
    return (await dataOf(
      client.api.GET('/api/v1/jobs/{id}/logs', { params: { path: { id }, query } }),
    )) as Schemas['JobLogs'];
  };
  const logs = await read(json === true);
  if (json) return await context.terminal.printJson(logs);
  const isPart = logs.stdout_truncated === true || logs.stderr_truncated === true;
  const isOver = ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(logs.status);
  // Followed, an output of any length takes little memory.
  if (isPart && isOver)
    return await copyOutput(context, client, { id, stream, attempt: logs.attempt, oneAttempt: true });
  const whole = isPart ? await read(true) : logs;
  await context.terminal.copy('stdout', whole.stdout ?? '');
  await context.terminal.copy('stderr', whole.stderr ?? '');
}
