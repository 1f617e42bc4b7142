import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  RELATED_TASK_META_KEY,
  type Server,
  type ServerContext,
  type Task,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { dataOf } from '../client/data-of.ts';
import { RequestError } from '../client/errors.ts';
import type { JobFields, Promptq, Schemas } from '../client/promptq.ts';
import { isTerminal } from '../contract/statuses.ts';
import { toolResult } from './answers.ts';
import { canAsk, formOf, type UserAnswer } from './asking.ts';
import type { ServerOptions } from './server-options.ts';
import { LIST_LENGTH, type ToolSpec, WAIT_SECONDS } from './tool-table.ts';
import { resultOf } from './tools.ts';
import { giveAnswer, openQuestion, untilClosed, waitForChange } from './waiting.ts';

/** Milliseconds between two questions for the status of a task, or of the question that its user is asked. */
export const POLL_MS = 2_000;
/** Milliseconds that a user may take to answer. The deadline of the question is sooner, or the client gives up. */
const ANSWER_MS = 7 * 24 * 3_600_000;

const taskParams = z.object({ taskId: z.string() });

/**
 * Tasks as the protocol's revision 2025-11-25 has them: a call of a tool answers with a task at once. Its id is that of
 * the job, so that nothing is kept here.
 */
export function serveTasks(server: Server, options: ServerOptions): void {
  const { client } = options;
  const about = async <T>(of: string, work: (client: Promptq) => Promise<T>): Promise<T> => {
    try {
      return await work(await client());
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const isRefused = error instanceof RequestError;
      const code = isRefused ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
      throw new ProtocolError(code, await options.explain(error, of));
    }
  };
  server.setRequestHandler(
    'tasks/get',
    { params: taskParams },
    async ({ taskId }) => await about('tasks/get', async (api) => await readTask(api, taskId)),
  );
  server.setRequestHandler(
    'tasks/result',
    { params: taskParams },
    async ({ taskId }, context) =>
      await about('tasks/result', async (api) => await taskResult(api, taskId, { server, options, context })),
  );
  server.setRequestHandler(
    'tasks/cancel',
    { params: taskParams },
    async ({ taskId }) => await about('tasks/cancel', async (api) => await cancelTask(api, taskId)),
  );
  server.setRequestHandler(
    'tasks/list',
    { params: z.object({ cursor: z.string().optional() }) },
    async (query) => await about('tasks/list', async (api) => await listTasks(api, query)),
  );
}

/** Creates the job of a call that is to be a task. */
export async function createTask(options: ServerOptions, tool: ToolSpec, args: unknown): Promise<CallToolResult> {
  if (!tool.isTask)
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Tool ${tool.name} can't be called as a task`);
  try {
    const client = await options.client(options.over);
    const { id } = await client.create(args as JobFields);
    // The library takes a result of a tool only with content.
    const task = await readTask(client, id).catch(async (error: unknown) => {
      // Without its id, the client would create the job again.
      await options.explain(error, tool.name);
      return newTask(id);
    });
    return { content: [], task };
  } catch (error) {
    return toolResult({ message: await options.explain(error, tool.name), isError: true });
  }
}

type Shown = Pick<
  Schemas['Job'],
  'id' | 'status' | 'state_reason' | 'created_at' | 'queued_at' | 'started_at' | 'finished_at'
>;

async function readTask(client: Promptq, id: string): Promise<Task> {
  const job = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  const question = job.question?.state === 'open' ? await openQuestion(client, id) : undefined;
  const task = taskOf(job);
  if (question === undefined) return task;
  return { ...task, status: 'input_required', statusMessage: `The agent of the job asks: ${question.question}` };
}

function taskOf(job: Shown): Task {
  const { id, status, state_reason: reason, created_at: createdAt } = job;
  const lastUpdatedAt = job.finished_at ?? job.started_at ?? job.queued_at ?? createdAt;
  const times = { createdAt, lastUpdatedAt, ttl: null, pollInterval: POLL_MS };
  return { taskId: id, status: statusOf(status, reason.code), statusMessage: reason.message, ...times };
}

/** The task of a job that was just created. */
function newTask(id: string): Task {
  const now = new Date().toISOString();
  return { taskId: id, status: 'working', createdAt: now, lastUpdatedAt: now, ttl: null, pollInterval: POLL_MS };
}

/** A job that is being cancelled ends in no other way. */
function statusOf(status: Schemas['Job']['status'], reason: string): Task['status'] {
  if (status === 'SUCCEEDED') return 'completed';
  if (status === 'FAILED') return 'failed';
  if (reason === 'question') return 'input_required';
  return status === 'CANCELLED' || reason === 'cancelling' ? 'cancelled' : 'working';
}

interface Waiting {
  readonly server: Server;
  readonly options: ServerOptions;
  readonly context: ServerContext;
}

/** Waits for the end of the job, and asks the client's user what its agent asks meanwhile. */
async function taskResult(client: Promptq, id: string, { server, options, context }: Waiting): Promise<CallToolResult> {
  const { wire, over, mayAnswer = true } = options;
  const { signal } = context.mcpReq;
  const ends = over === undefined ? signal : AbortSignal.any([signal, over]);
  const mayAsk = mayAnswer && canAsk(server, context);
  const asked = new Set<string>();
  for (;;) {
    const question = await openQuestion(client, id);
    if (question !== undefined && !asked.has(question.id)) {
      if (!mayAsk) throw notYet(`Its agent asks: ${question.question} Call answer_question.`);
      asked.add(question.id);
      await giveAnswer(client, id, await answerOf(client, question, { server, context }));
    }
    const state = await waitForChange(client, { id, seconds: WAIT_SECONDS[wire].default, signal: ends });
    if (state.terminal) {
      const _meta = { [RELATED_TASK_META_KEY]: { taskId: id } };
      return { ...toolResult(await resultOf(client, { id })), _meta };
    }
    if (wire === 'http') {
      options.onUnfinished?.();
      throw notYet(state.state_reason.message);
    }
    // It may wait for a person who is somewhere else.
    await sleep(POLL_MS, undefined, { signal: ends });
  }
}

/** Sends the client the question for its user. The form is closed once the question is no longer open. */
async function answerOf(
  client: Promptq,
  question: Schemas['Question'],
  { server, context }: Pick<Waiting, 'server' | 'context'>,
): Promise<UserAnswer> {
  const form = { ...formOf(question), _meta: { [RELATED_TASK_META_KEY]: { taskId: question.job_id } } };
  const { id: relatedRequestId, signal } = context.mcpReq;
  const [closed, done] = [new AbortController(), new AbortController()];
  const watched = { everyMs: POLL_MS, signal: AbortSignal.any([signal, done.signal]) };
  const close = () => closed.abort('the question is no longer open');
  void untilClosed(client, question, watched).then(close, () => undefined);
  try {
    const until = { timeout: ANSWER_MS, signal: AbortSignal.any([signal, closed.signal]) };
    const { action, content } = await server.elicitInput(form, { relatedRequestId, ...until });
    const text = action === 'accept' && typeof content?.answer === 'string' ? content.answer : null;
    return { questionId: question.id, text };
  } catch (error) {
    if (signal.aborted || !closed.signal.aborted) throw error;
    return { questionId: question.id, text: null };
  } finally {
    done.abort();
  }
}

/** For a client that can't resume its request, or whose user can't be asked by HTTP. */
function notYet(why: string): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `The job has not ended. ${why} Then call tasks/result again.`,
  );
}

async function cancelTask(client: Promptq, id: string): Promise<Task> {
  const before = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  if (isTerminal(before.status))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The job has already ended: it is ${before.status}.`);
  return taskOf(await client.act('cancel', id));
}

async function listTasks(client: Promptq, { cursor }: { readonly cursor?: string | undefined }) {
  const query = { limit: LIST_LENGTH.maximum, ...(cursor !== undefined && { cursor }) };
  const jobs = await dataOf(client.api.GET('/api/v1/jobs', { params: { query } }));
  const tasks = jobs.items.filter(({ status }) => status !== 'DRAFT').map(taskOf);
  return { tasks, ...(jobs.next_cursor !== null && { nextCursor: jobs.next_cursor }) };
}
