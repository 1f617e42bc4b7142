import { dataOf } from '../client/data-of.ts';
import { RequestError } from '../client/errors.ts';
import type { JobFields, Promptq, Schemas } from '../client/promptq.ts';
import { type Answer, outcome } from './answers.ts';
import type { UserAnswer } from './asking.ts';
import { listFiles, listProfiles, readDiff, readFile } from './job-files.ts';
import { lengthFor, type Query, type ResultQuery, readFewer, readLogs, resultOf } from './job-output.ts';
import { listQuestions } from './job-questions.ts';
import { listTemplates, readJob } from './job-requests.ts';
import { keepDiagram, listDiagrams, readDiagram } from './project-diagrams.ts';
import { LIST_LENGTH, type ToolName, WAIT_SECONDS, type Wire } from './tool-table.ts';
import { giveAnswer, openQuestion, waitForChange } from './waiting.ts';

type Id = { readonly id: string };

/** Whom a tool calls, and how long it may take. */
interface ToolCall {
  readonly client: Promptq;
  readonly wire: Wire;
  readonly signal: AbortSignal;
  /** What `performance.now()` is when the tool may no longer wait. */
  readonly waitUntil: number;
  /** Whether the client can ask its user. */
  readonly canAsk: boolean;
  /** What its user has answered, in the second call. */
  readonly answer?: UserAnswer | undefined;
  /** The job of the first call. */
  readonly jobId?: string | undefined;
  /** Called with an error after which the tool still answers. @returns its sentence */
  readonly onFailure: (error: unknown) => Promise<string>;
}

type Tool = (call: ToolCall, args: never) => Promise<Answer>;

const existing = (id: string) => `Job ${id} exists. Call wait_for_job.`;

/** What an agent must know of a repeated idempotency key that it has given. */
function replayNote(
  given: { readonly idempotency_key?: string | null },
  { replayed, differs }: Schemas['MessageAccepted'],
): string {
  if (typeof given.idempotency_key !== 'string' || !replayed) return '';
  const rest = differs.length === 0 ? '' : ` with another ${differs.join(', ')}, and this call changes nothing`;
  return `This idempotency_key was used before${rest}. `;
}

/** What each tool does with arguments that its schema accepts. */
export const TOOL_CALLS: Readonly<Record<ToolName, Tool>> = {
  create_job: async ({ client }, fields: JobFields) => {
    const created = await client.create(fields);
    return { message: `${replayNote(fields, created)}${existing(created.id)}`, fields: created };
  },

  continue_job: async ({ client }, { id, ...fields }: JobFields & Id) => {
    const created = await client.create({ ...fields, continue: id });
    const message = `${replayNote(fields, created)}Job ${created.id} continues ${id}. Call wait_for_job.`;
    return { message, fields: created };
  },

  fork_job: async ({ client }, { id, ...fields }: JobFields & Id) => {
    const created = await client.create({ ...fields, fork: id });
    const message = `${replayNote(fields, created)}Job ${created.id} begins with a copy of ${id}. Call wait_for_job.`;
    return { message, fields: created };
  },

  run_job: async (call, fields: JobFields) => await runJob(call, fields),

  run_template: async (call, fields: JobFields) => await runJob(call, fields),

  wait_for_job: async (
    call,
    { id, timeout_seconds: seconds = WAIT_SECONDS[call.wire].default }: Id & { timeout_seconds?: number },
  ) => {
    const { state, question } = await waitOrAsk(call, { id, seconds });
    if (question !== undefined) return { message: '', question };
    return { ...outcome(state, 'The job succeeded. Call job_result for its answer.'), fields: state };
  },

  job_status: async ({ client }, { id }: Id) => {
    const state = await stateOf(client, id);
    return { message: `${state.status}: ${state.state_reason.message}`, fields: state };
  },

  read_job: async ({ client }, query: Parameters<typeof readJob>[1]) => await readJob(client, query),

  job_result: async ({ client }, query: ResultQuery) => await resultOf(client, query),

  job_logs: async ({ client }, query: Id & Query<'/api/v1/jobs/{id}/logs'>) => await readLogs(client, query),

  send_message: async ({ client }, { id, ...body }: Id & Schemas['MessageCreation']) => {
    const { id: message_id, ...said } = await client.say(id, body);
    const message = `${replayNote(body, { id, ...said })}The message is accepted. Call wait_for_job.`;
    return { message, fields: { id, message_id, ...said } };
  },

  cancel_job: async ({ client }, { id, tree }: Id & { tree?: boolean }) => {
    const { status, state_reason: reason, attempt, cancelled_jobs } = await client.act('cancel', id, { tree });
    const message = status === 'CANCELLED' ? 'The job is cancelled.' : `${reason.message} Call wait_for_job.`;
    return { message, fields: { id, status, state_reason: reason, attempt, cancelled_jobs } };
  },

  list_questions: async ({ client }, query: Parameters<typeof listQuestions>[1]) => await listQuestions(client, query),

  answer_question: async ({ client }, { id, ...body }: Id & Schemas['Answer']) => {
    const { status, state_reason } = await client.answer(id, body);
    return { message: 'Answered. Call wait_for_job.', fields: { id, status, state_reason } };
  },

  list_jobs: async ({ client }, filters: Query<'/api/v1/jobs'>) => {
    const bounds = { minimum: LIST_LENGTH.minimum, most: lengthFor(filters.limit) };
    return await readFewer({ limit: LIST_LENGTH.default, ...filters }, bounds, async (query) => {
      const { items, total, total_complete, next_cursor } = await dataOf(
        client.api.GET('/api/v1/jobs', { params: { query } }),
      );
      const message = `${items.length} of ${total}${total_complete ? '' : ' or more'} jobs.`;
      return { message, fields: { items: items.map(listed), next_cursor } };
    });
  },

  list_files: async ({ client }, query: Parameters<typeof listFiles>[1]) => await listFiles(client, query),

  read_file: async ({ client }, query: Parameters<typeof readFile>[1]) => await readFile(client, query),

  read_diff: async ({ client }, query: Parameters<typeof readDiff>[1]) => await readDiff(client, query),

  list_diagrams: async ({ client }, query: Parameters<typeof listDiagrams>[1]) => await listDiagrams(client, query),

  read_diagram: async ({ client }, query: Parameters<typeof readDiagram>[1]) => await readDiagram(client, query),

  keep_diagram: async ({ client }, query: Parameters<typeof keepDiagram>[1]) => await keepDiagram(client, query),

  list_templates: async ({ client }, query: Parameters<typeof listTemplates>[1]) => await listTemplates(client, query),

  list_profiles: async ({ client }, query: Parameters<typeof listProfiles>[1]) => await listProfiles(client, query),
};

/** Creates a job, and returns its answer if it ends in time. */
async function runJob(call: ToolCall, fields: JobFields): Promise<Answer> {
  const { client, wire } = call;
  const created = call.jobId === undefined ? await client.create(fields) : undefined;
  const id = created?.id ?? call.jobId ?? '';
  const note = created === undefined ? '' : replayNote(fields, created);
  try {
    const { state, question } = await waitOrAsk(call, { id, seconds: WAIT_SECONDS[wire].default });
    if (question !== undefined) return { message: '', question };
    const answer = state.terminal ? await resultOf(client, { id }) : { ...outcome(state, ''), fields: state };
    return { ...answer, message: `${note}${answer.message}` };
  } catch (error) {
    // Without its id, the agent would create the job again.
    const sentence = await call.onFailure(error);
    const isRefusedAnswer = call.answer !== undefined && error instanceof RequestError && error.status === 400;
    return { message: isRefusedAnswer ? `${sentence}. ${existing(id)}` : existing(id), fields: { id } };
  }
}

/** Waits, and finds the question that the client can ask its user. */
async function waitOrAsk(
  { client, signal, waitUntil, canAsk, answer }: ToolCall,
  { id, seconds }: Id & { readonly seconds: number },
): Promise<{ readonly state: Schemas['JobLifecycle']; readonly question?: Schemas['Question'] | undefined }> {
  if (answer !== undefined) await giveAnswer(client, id, answer);
  // What came before, such as the creation of the job, has taken a part of the call's time.
  const left = Math.floor((waitUntil - performance.now()) / 1000);
  const wait = { id, seconds: Math.min(seconds, left), signal };
  const state = left < 1 ? await stateOf(client, id) : await waitForChange(client, wait);
  // A user who has not answered is not asked again in the same call.
  if (!canAsk || answer?.text === null || state.state_reason.code !== 'question') return { state };
  return { state, question: await openQuestion(client, id) };
}

async function stateOf(client: Promptq, id: string): Promise<Schemas['JobLifecycle']> {
  return await dataOf(client.api.GET('/api/v1/jobs/{id}/status', { params: { path: { id } } }));
}

function listed(job: Schemas['JobSummary']): object {
  const { id, status, state_reason, title, prompt_preview, project, profile, tags, created_at, finished_at } = job;
  return { id, status, state_reason, title, prompt_preview, project, profile, tags, created_at, finished_at };
}
