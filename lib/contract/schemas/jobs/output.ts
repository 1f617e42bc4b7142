import * as z from 'zod';
import { LIMITS } from '../../limits.ts';
import { integerParameter, switchParameter, timestamp } from '../fields/text.ts';
import { attachment } from './attachments.ts';
import { changes } from './changes.ts';
import { namedShape, outcomeShape } from './job.ts';
import { jobState, stateReason } from './job-state.ts';

const streamText = z.string().meta({ description: 'UTF-8 text. Invalid bytes become U+FFFD.' });

/** How stored data compares with what was recorded when its attempt ended. */
export const OUTPUT_STATES = ['complete', 'missing', 'truncated', 'corrupt'] as const;

export const streamState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    'How the stored stream compares with what was recorded when the attempt ended. `missing`: nothing is stored. `truncated`: bytes are missing. `corrupt`: the bytes differ. The text is then what remains. The length is always compared; the SHA-256 is compared if the response contains the whole stream. Absent while the attempt runs.',
});

const receiptState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    "State of the attempt's record, the source of `final_message`, `composed_prompt` and `changes`. `missing`: the record does not exist, for example because the worker was lost before writing it. `corrupt`: it can't be read. Absent while the attempt runs.",
});

const attachmentsState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    "State of the list of attachments. `missing`: entries are missing. `corrupt`: the list can't be read. Absent if the attempt has no attachments.",
});

export const resultQuery = z.object({
  full: switchParameter(`Return each stream in full instead of its last ${LIMITS.resultStreamBytes} bytes.`),
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Number of the attempt. Default: the newest.',
  }),
});

/** `GET /jobs/{id}/result`. */
export const result = z
  .object({
    id: z.string(),
    status: jobState,
    state_reason: stateReason,
    attempt: z.number().int(),
    agent: namedShape.agent,
    model_used: namedShape.model_used,
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    duration_ms: z.number().nullable(),
    final_message: z.string().nullable().meta({ description: 'The last message of the agent.' }),
    composed_prompt: z.string().nullable().meta({ description: 'The full prompt that the agent received.' }),
    attachments: z.array(attachment).meta({ description: 'Files that the attempt produced.' }),
    changes: changes.nullable(),
    follow_up_ids: z.array(z.string()),
    ...outcomeShape,
    stdout: streamText,
    stderr: streamText,
    stdout_truncated: z.boolean(),
    stderr_truncated: z.boolean(),
    stdout_state: streamState,
    stderr_state: streamState,
    receipt_state: receiptState,
    attachments_state: attachmentsState,
  })
  .meta({ id: 'JobResult' });

const LOG_STREAMS = ['stdout', 'stderr', 'all'] as const;

export const logsQuery = z.object({
  stream: z.enum(LOG_STREAMS).optional().meta({ description: 'Stream to return. Default: `all`.' }),
  full: switchParameter(`Return each stream in full instead of up to ${LIMITS.logStreamBytes} bytes.`),
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Number of the attempt. Default: the newest. With `follow` it can be the next attempt, which the stream waits for.',
  }),
  offset: integerParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description:
      'Byte offset in the stored stream at which to start. Requires `stream=stdout` or `stream=stderr`. Continue with `next_offset`.',
  }),
  limit: integerParameter({
    min: 4,
    max: LIMITS.logStreamBytes,
    description:
      'Maximum number of bytes of each stream to return: from `offset`, or from the end of the stream. No effect with `full` or `follow`.',
  }),
  follow: switchParameter(
    'Stream the output as server-sent events while it is written. Requires `Accept: text/event-stream`; `full` has no effect.',
  ),
});

export const logsHeaders = z.object({
  'last-event-id': z.string().max(60).optional().meta({
    description:
      'With `follow`: the `id` of the last event received, for the same `stream`. The stream continues after it and ignores `offset`.',
  }),
});

/** The event stream of a followed log. */
export const logEvents = z.string().meta({
  description: [
    'Server-sent events of one attempt, from its first byte, from `offset`, or after `Last-Event-ID`. The concatenated texts of a stream are the log.',
    'Unnamed events contain output: `data` is `{"attempt","stream","text","offset","next_offset"}`. `text` consists of whole characters and covers the bytes from `offset` up to `next_offset`.',
    'Their `id` is the offset after the data sent so far; with `stream=all` there are two offsets, `stdout,stderr`. From the second attempt on, ids start with the number of the attempt: `2:1024`.',
    '`event: end` (`data`: `{"attempt","status","state_reason","stdout_state","stderr_state"}`) is the last event when the attempt has ended and all its output has been sent. `status` is the current status of the job, such as QUEUED if another attempt follows. `stdout_state` and `stderr_state` are those of `JobLogs`. Close the connection, because an EventSource would reconnect.',
    '`event: error` (`data`: `{"error"}`) is the last event when the caller loses access, such as `unauthorized` after the token is revoked.',
    `A comment is sent after ${LIMITS.follow.silenceSeconds} seconds without output. After ${LIMITS.follow.seconds} seconds the stream ends with \`event: continue\`, which has no data: the log continues. Reconnect with \`Last-Event-ID\`, as an EventSource does at once (\`retry: 0\`).`,
    `A deployment limits how many logs it streams at a time (\`followStreams\`). Beyond the limit, a stream sends the output that exists and ends with \`event: continue\` and \`retry: ${LIMITS.follow.pollSeconds * 1000}\`: wait that many milliseconds, then reconnect with \`Last-Event-ID\`, as an EventSource does.`,
  ].join('\n'),
  example:
    'id: 6\ndata: {"attempt":1,"stream":"stdout","text":"hello\\n","offset":0,"next_offset":6}\n\nevent: end\ndata: {"attempt":1,"status":"SUCCEEDED","state_reason":{"code":"exited","message":"The process ended.","retryable":false}}\n\n',
});

/** `GET /jobs/{id}/logs`. */
export const logs = z
  .object({
    id: z.string(),
    status: jobState,
    attempt: z.number().int(),
    stream: z.enum(LOG_STREAMS),
    stdout: streamText.optional(),
    stderr: streamText.optional(),
    stdout_bytes: z.number().int().optional(),
    stderr_bytes: z.number().int().optional(),
    stdout_truncated: z.boolean().optional(),
    stderr_truncated: z.boolean().optional(),
    stdout_state: streamState,
    stderr_state: streamState,
    next_offset: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Byte offset at which to continue reading this stream. Null if `stream` is `all`.' }),
  })
  .meta({ id: 'JobLogs' });

/** `GET /jobs/{id}/session`. */
export const agentSession = z.string().meta({
  description: "Lines of JSON in the CLI's own format.",
  example: '{"timestamp":"2026-11-22T10:00:00.000Z","type":"session_meta","payload":{}}\n',
});
