import type { paths } from '../client/api-types.ts';
import { damageOf } from '../client/damage-of.ts';
import { dataOf } from '../client/data-of.ts';
import type { Promptq, Schemas } from '../client/promptq.ts';
import { isTerminal } from '../contract/statuses.ts';
import { timelineText } from '../vendors/timeline/timeline-text.ts';
import { ANSWER_LENGTH, type Answer, fits, largest, outcome, USUAL_LENGTH } from './answers.ts';
import { LOG_BYTES, MESSAGE_LENGTH } from './tool-table.ts';

/*
 * What a job has written, in answers that fit into an agent's context: 8,000 bytes unless the caller asks for more.
 * The lines of an agent's CLI are made for programs, so they are shown as text; the bytes come on demand.
 */

/** Characters of each stream that a result without a final message contains. */
const STREAM_LENGTH = 4_000;
/** Attachments that a result names, and their share of the answer. */
const ATTACHMENTS = 50;
const FILES_SHARE = 4;

export type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : never;
type Id = { readonly id: string };
type LogQuery = Query<'/api/v1/jobs/{id}/logs'>;

/** The end of a job's output, or a part of a stream. */
export async function readLogs(client: Promptq, { id, attempt, ...part }: Id & LogQuery): Promise<Answer> {
  const query = { ...part, ...(attempt !== undefined && { attempt }) };
  const isWhole = Object.values(part).every((value) => value === undefined);
  const job = isWhole ? await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } })) : undefined;
  if (job !== undefined && isOfAgent(job)) return await agentLog(client, id, query);
  const bounds = { minimum: LOG_BYTES.minimum, most: lengthFor(part.limit) };
  return await readFewer({ limit: LOG_BYTES.default, ...query }, bounds, async (narrower) => {
    const logs = await logsOf(client, id, narrower);
    return { message: logsMessage(logs), fields: logs };
  });
}

/** Reads half as much until the answer is short enough; what it left out follows with its offset or cursor. */
export async function readFewer<Q extends { readonly limit: number }>(
  query: Q,
  { minimum, most }: { readonly minimum: number; readonly most: number },
  read: (query: Q) => Promise<Answer>,
): Promise<Answer> {
  for (let limit = query.limit; ; limit = Math.max(minimum, Math.floor(limit / 2))) {
    const answer = await read({ ...query, limit });
    if (fits(answer, most) || limit === minimum) return answer;
  }
}

/** @param limit how much the caller asked for */
export function lengthFor(limit: number | undefined): number {
  return limit === undefined ? USUAL_LENGTH : ANSWER_LENGTH;
}

async function logsOf(client: Promptq, id: string, query: LogQuery): Promise<Schemas['JobLogs']> {
  const params = { path: { id }, query };
  // An answer as text is an event stream, which was not asked for.
  return (await dataOf(client.api.GET('/api/v1/jobs/{id}/logs', { params }))) as Schemas['JobLogs'];
}

function logsMessage(logs: Schemas['JobLogs']): string {
  const message = isTerminal(logs.status) ? 'The job has ended.' : 'The job may write more output.';
  return `${message}${damageIn(logs)}`;
}

/** The end of what the agent has said and done, as text: its lines are made for programs. */
async function agentLog(client: Promptq, id: string, query: LogQuery): Promise<Answer> {
  const logs = await logsOf(client, id, { ...query, limit: LOG_BYTES.maximum });
  const { stdout = '', stderr = '', stdout_truncated: isCut = false, next_offset: _, ...facts } = logs;
  const { text, hasErrors } = timelineText(stdout, { fromMiddle: isCut });
  const answer = (length: number): Answer => ({
    message: `${logsMessage(logs)} For the bytes as they were written, give a stream.`,
    fields: {
      ...facts,
      output: endOf(text, length),
      output_truncated: isCut || length < text.length,
      // The CLI's own words, which matter if the agent has reported nothing.
      ...(!hasErrors && logs.status === 'FAILED' && { stderr: endOf(stderr, Math.min(STREAM_LENGTH, length)) }),
    },
  });
  return answer(largest(text.length, (length) => fits(answer(length), USUAL_LENGTH)));
}

/** Whether output consists of an agent's events. */
function isOfAgent({ agent }: Partial<Pick<Schemas['JobResult'], 'agent'>>): boolean {
  return agent != null && agent !== 'shell';
}

export type ResultQuery = Id &
  Query<'/api/v1/jobs/{id}/result'> & { readonly message_offset?: number; readonly message_length?: number };

/** What a job has answered, whatever its status. */
export async function resultOf(
  client: Promptq,
  { id, message_offset: offset = 0, message_length: wanted, ...query }: ResultQuery,
): Promise<Answer> {
  const result = await dataOf(client.api.GET('/api/v1/jobs/{id}/result', { params: { path: { id }, query } }));
  const { message, ...rest } = outcome(result, 'The job succeeded.');
  const answer = (length: number): Answer => ({
    message: `${message}${damageIn(result)}`,
    ...rest,
    fields: resultFields(result, { offset, length, most: lengthFor(wanted) }),
  });
  const most = wanted ?? MESSAGE_LENGTH.maximum;
  return answer(largest(most, (length) => fits(answer(length), lengthFor(wanted))));
}

function damageIn(states: Parameters<typeof damageOf>[0]): string {
  return damageOf(states)
    .map((warning) => ` Warning: ${warning}.`)
    .join('');
}

/** @param length characters of the final message, from `offset`, and at most of the end of each stream */
function resultFields(
  result: Schemas['JobResult'],
  { offset, length, most }: { readonly offset: number; readonly length: number; readonly most: number },
): object {
  const { id, status, state_reason, attempt, exit_code, signal, error, duration_ms, usage, changes } = result;
  const { final_message: message, stdout, stderr, attachments } = result;
  const { stdout_state, stderr_state, receipt_state, attachments_state } = result;
  const ofStream = Math.min(STREAM_LENGTH, length);
  const end = offset + length;
  const said = isOfAgent(result)
    ? timelineText(stdout, { fromMiddle: result.stdout_truncated })
    : { text: stdout, hasErrors: false };
  const answer =
    message === null
      ? {
          [isOfAgent(result) ? 'output' : 'stdout']: endOf(said.text, ofStream),
          // With an error that the agent has reported, the CLI's own words say nothing more.
          ...(!said.hasErrors && { stderr: endOf(stderr, ofStream) }),
        }
      : { final_message: message.slice(offset, end), next_message_offset: end < message.length ? end : null };
  const isCut = message === null ? Math.max(said.text.length, stderr.length) > ofStream : end < message.length;
  const named = largest(Math.min(ATTACHMENTS, attachments.length), (count) =>
    fits({ message: '', fields: attachments.slice(0, count) }, most / FILES_SHARE),
  );
  const files = { attachments: attachments.slice(0, named), attachments_total: attachments.length };
  return {
    ...{ id, status, state_reason, attempt, exit_code, signal, error, duration_ms, usage, changes },
    ...answer,
    answer_truncated: isCut,
    ...files,
    ...{ stdout_state, stderr_state, receipt_state, attachments_state },
  };
}

/** The last characters of a text. */
function endOf(text: string, length: number): string {
  return length === 0 ? '' : text.slice(-length);
}
