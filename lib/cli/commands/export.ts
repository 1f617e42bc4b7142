import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Option } from 'commander';
import { dataOf } from '../../client/data-of.ts';
import { TransientError } from '../../client/errors.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { stoppableClient } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { EXPORT_FILTERS } from '../jobs/list-options.ts';
import { saveFile } from '../jobs/save-file.ts';

interface ExportOptions {
  readonly format?: Schemas['ExportCreation']['format'];
  readonly output?: string;
  readonly json?: true;
}

/** Starts an export, waits until it is done, and downloads its file. */
export const run: CommandRun<ExportOptions> = async (context, [given], options) => {
  const { format = 'jsonl', output, json } = options;
  const kind = given as Schemas['ExportCreation']['kind'];
  const client = await stoppableClient(context);
  const body = { kind, format, filter: filterOf(options) };
  const { id } = await dataOf(client.api.POST('/api/v1/exports', { body }));
  await context.terminal.note(`export ${id}`);
  const done = await untilDone(context, client, id);
  return await saveExport(context, client, done, { output, json });
};

/** The filters of the request, which commander names in its own way. */
function filterOf(options: object): Record<string, string> {
  const values = options as Readonly<Record<string, unknown>>;
  const given = EXPORT_FILTERS.map(({ name, flags }) => [name, values[new Option(flags).attributeName()]] as const);
  return Object.fromEntries(
    given.filter(([, value]) => value !== undefined).map(([name, value]) => [name, `${value}`]),
  );
}

/** Milliseconds between two looks at an export. */
const POLL_MS = 1_000;
/** Progress is reported once in so many looks. */
const TOLD_EVERY = 5;

async function untilDone({ terminal }: Context, client: Promptq, id: string): Promise<Schemas['Export']> {
  const { signal } = client.policy;
  for (let looks = 1; ; looks += 1) {
    const found = await dataOf(client.api.GET('/api/v1/exports/{id}', { params: { path: { id } } }));
    const { rows } = found.progress;
    if (found.status === 'done') return found;
    if (found.status === 'failed') throw new CommandError(EXIT.jobFailed, `export ${id} has failed: ${found.error}`);
    if (looks % TOLD_EVERY === 0) await terminal.note(`${rows} rows so far`);
    await pause(POLL_MS, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
  }
}

/** Downloads the file of an export that is done. */
export async function saveExport(
  context: Context,
  client: Promptq,
  found: Schemas['Export'],
  { output, json }: { readonly output: string | undefined; readonly json: true | undefined },
): Promise<number> {
  const { id, kind, format, url, progress } = found;
  if (url === null) throw new CommandError(EXIT.notAllowed, `export ${id} has no link for this token`);
  const path = output ?? `promptq-${kind}-${found.created_at.slice(0, 10)}-${randomUUID().slice(0, 4)}.${format}`;
  const fetched = async () => {
    const response = await fetch(new Request(url), { ...(client.policy.signal && { signal: client.policy.signal }) });
    if (!response.ok) throw new TransientError(`the store answers ${response.status}`);
    return response.body;
  };
  await saveFile(path, { policy: client.policy, fetched });
  if (json) await context.terminal.printJson(found);
  else await context.terminal.print(path);
  await context.terminal.note(`${progress.rows} rows`);
  return EXIT.succeeded;
}
