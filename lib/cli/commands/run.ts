import { randomUUID } from 'node:crypto';
import { dataOf } from '../../client/data-of.ts';
import { RequestError, UnreachableError } from '../../client/errors.ts';
import type { JobFields, Promptq, Schemas } from '../../client/promptq.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { explain, usageError } from '../base/errors.ts';
import { EXIT, type StopSignal } from '../base/exit-codes.ts';
import { replayNote } from '../base/replay-note.ts';
import { type CheckoutOptions, placeJob } from '../checkout/place-job.ts';
import { pullChanges } from '../checkout/pull-changes.ts';
import { printAnswer, summary } from '../jobs/answer.ts';
import type { Repository } from '../jobs/apply-changes.ts';
import { attend, exitCodeOf, type WaitOptions } from '../jobs/attend.ts';
import { checkScopes } from '../jobs/check-scopes.ts';
import { type JobOptions, jobFields } from '../jobs/job-fields.ts';
import { copyOutput, outputStyle } from '../jobs/output.ts';
import { checkWithoutTemplate, preview, type TemplateOptions, templateFields } from '../templates/template-values.ts';

/** Options of commands that create a job and wait for it. */
export interface RunOptions extends JobOptions, WaitOptions, CheckoutOptions, TemplateOptions {
  readonly follow?: true;
  readonly raw?: true;
  readonly detach?: true;
  readonly draft?: true;
  readonly idempotencyKey?: string;
  readonly json?: true;
}

export async function run(context: Context, texts: readonly string[], options: RunOptions): Promise<number> {
  const fields = await requested(context, texts, options);
  return await runJob(context, fields, options, async (client, unplaced) => {
    return await placeJob(context, client, unplaced, options);
  });
}

/** The fields of a job. Those that a template and its values set are read from the service. */
type Requested = (client: Promptq) => Promise<JobFields>;

/** @param texts the prompt, or values of the template's parameters */
async function requested(
  context: Context,
  [prompt, ...values]: readonly string[],
  options: RunOptions,
): Promise<Requested> {
  if (options.template === undefined) {
    checkWithoutTemplate(values, options);
    const fields = await jobFields(context, prompt, options);
    if (fields.prompt === undefined) throw usageError('give a prompt, --file, or --template');
    return async () => fields;
  }
  const overrides = await jobFields(context, undefined, options);
  const given = prompt === undefined ? [] : [prompt, ...values];
  return async (client) => ({ ...(await templateFields(context, client, given, options)), ...overrides });
}

/** Chooses where a job works before it is created. */
type Place = (client: Promptq, fields: JobFields) => ReturnType<typeof placeJob>;

/**
 * Creates a job and, unless the options say otherwise, waits for its end.
 * @param place default: the job works where its fields say
 * @returns the exit code
 */
async function runJob(
  context: Context,
  fields: Requested,
  options: RunOptions,
  place: Place = async (_, unplaced) => ({ fields: unplaced }),
): Promise<number> {
  const client = await clientOf(context);
  if (options.preview) return await preview(context, client, await fields(client), options);
  const isDetached = options.detach ?? options.draft ?? false;
  await checkScopes(client, isDetached ? ['write'] : ['write', 'read', 'logs']);
  const placed = await place(client, await fields(client));
  const { created, stoppedBy } = await create(context, client, {
    ...placed.fields,
    ...(options.draft && { draft: true }),
    ...(options.idempotencyKey !== undefined && { idempotency_key: options.idempotencyKey }),
  });
  if (options.idempotencyKey !== undefined && created.replayed)
    await context.terminal.note(replayNote(`job ${created.id}`, created.differs));
  if (isDetached) {
    await (options.json ? context.terminal.printJson(created) : context.terminal.print(created.id));
    return EXIT.succeeded;
  }
  await context.terminal.note(`job ${created.id}${created.url === null ? '' : ` ${created.url}`}`);
  const exitCode = await finish(context, client, { id: created.id, options, stoppedBy });
  if (placed.checkout === undefined) return exitCode;
  const isApplied = (options.apply ?? false) && exitCode === EXIT.succeeded;
  return (await offerChanges(context, client, { id: created.id, checkout: placed.checkout, isApplied })) ?? exitCode;
}

interface Offered {
  readonly id: string;
  readonly checkout: Repository;
  readonly isApplied: boolean;
}

/** Applies the changes of a job that has ended to the checkout that it started from, or says how. @returns the exit code, if it failed */
async function offerChanges(
  { terminal, env }: Context,
  client: Promptq,
  { id, checkout, isApplied }: Offered,
): Promise<number | undefined> {
  const pull = `\`promptq pull ${id}\` applies the changes here`;
  try {
    const { changes } = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
    if (!isApplied) {
      if (changes !== null && changes.files > 0) await terminal.note(`${changes.stat.trimEnd()}\n${pull}`);
      return undefined;
    }
    const { files, stat } = await pullChanges(client, { id, changes }, checkout, { keepsUncommitted: true });
    await terminal.note(files === 0 ? 'the job changed nothing' : `${stat.trimEnd()}\napplied to ${checkout.root}`);
    return undefined;
  } catch (error) {
    const { exitCode, message } = explain(error, env);
    await terminal.fail(message);
    await terminal.note(pull);
    return exitCode;
  }
}

interface ContinueOptions extends RunOptions {
  readonly after?: 'success' | 'any';
  readonly freshFolder?: true;
}

/** Creates the next turn of a job's thread. */
export async function continueJob(
  context: Context,
  [id = '', ...texts]: readonly string[],
  { after, freshFolder, ...options }: ContinueOptions,
): Promise<number> {
  const fields = await requested(context, texts, options);
  const next = {
    continue: id,
    ...(after !== undefined && { continue_after: after }),
    ...(freshFolder !== undefined && { fresh_folder: true }),
  };
  return await runJob(context, async (client) => ({ ...(await fields(client)), ...next }), options);
}

/** Creates the first turn of a new thread, from a copy of a job. */
export async function forkJob(
  context: Context,
  [id = '', ...texts]: readonly string[],
  options: RunOptions,
): Promise<number> {
  const fields = await requested(context, texts, options);
  return await runJob(context, async (client) => ({ ...(await fields(client)), fork: id }), options);
}

/** A signal does not stop the request that creates the job, or its outcome would be unknown; a second Ctrl-C does. */
async function create(
  context: Context,
  client: Promptq,
  fields: JobFields,
): Promise<{ created: Schemas['JobCreated']; stoppedBy: StopSignal | undefined }> {
  const key = fields.idempotency_key ?? randomUUID();
  let stoppedBy: StopSignal | undefined;
  const forget = context.onStop((signal) => {
    stoppedBy = signal;
    forget();
    const safe = `another run with the idempotency key ${key} creates no second job`;
    void context.terminal.note(`the service has not answered yet; Ctrl-C ends the command at once, and ${safe}`);
  });
  try {
    return { created: await client.create({ ...fields, idempotency_key: key }), stoppedBy };
  } finally {
    forget();
  }
}

async function finish(
  context: Context,
  client: Promptq,
  {
    id,
    options,
    stoppedBy,
  }: { readonly id: string; readonly options: RunOptions; readonly stoppedBy: StopSignal | undefined },
): Promise<number> {
  const state = await attend(context, client, {
    id,
    options,
    stoppedBy,
    ...(options.follow && {
      alongside: async (signal) => await follow(context, client, { id, options, signal }),
    }),
  });
  if (options.follow && options.json) return exitCodeOf(state);
  try {
    await report(context, client, { id, options });
  } catch (error) {
    if (!(error instanceof RequestError || error instanceof UnreachableError)) throw error;
    await context.terminal.note(
      `${state.status}: ${state.state_reason.message} \`promptq result ${id}\` prints the rest`,
    );
    // The output has been printed.
    if (!options.follow) throw error;
    await context.terminal.note(explain(error, context.env).message);
  }
  return exitCodeOf(state);
}

/** Prints the result of a job that has ended, of which --follow has printed the output. */
async function report(
  context: Context,
  client: Promptq,
  { id, options }: { readonly id: string; readonly options: RunOptions },
): Promise<void> {
  const full = options.json ? { query: { full: '1' as const } } : {};
  const result = await dataOf(client.api.GET('/api/v1/jobs/{id}/result', { params: { path: { id }, ...full } }));
  if (options.json) await context.terminal.printJson(result);
  else if (!options.follow) await printAnswer(context, client, result);
  await context.terminal.note(summary(result));
}

/** Prints the output of every attempt: for people, as it is, or as events in JSON. */
async function follow(
  context: Context,
  client: Promptq,
  { id, options, signal }: { readonly id: string; readonly options: RunOptions; readonly signal: AbortSignal },
): Promise<void> {
  if (options.json)
    for await (const event of client.follow(id, { attempt: 1, signal })) await context.terminal.printJson(event);
  else {
    const style = await outputStyle(client, id, options.raw);
    await copyOutput(context, client, { id, attempt: 1, signal, style });
  }
}
