import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { attachment } from './attachments.ts';
import { changes } from './changes.ts';
import { integerParameter, switchParameter, timestamp } from './fields/text.ts';
import { jobState, namedShape, outcomeShape, stateReason } from './job.ts';

const streamText = z.string().meta({ description: 'UTF-8 text; bytes that are none become U+FFFD.' });

/** What is left of something that was recorded when its attempt ended. */
export const OUTPUT_STATES = ['complete', 'missing', 'truncated', 'corrupt'] as const;

const streamState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    'Present once the attempt has ended: how what is kept compares with what was recorded then. `missing`: nothing is kept; `truncated`: fewer bytes are; `corrupt`: other bytes are. The text is then what is left. The length is always compared, the SHA-256 if the answer holds the whole stream.',
});

const receiptState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    "Present once the attempt has ended: whether its record can be read, which `final_message`, `composed_prompt` and `changes` come from. `missing`: the record is gone, or the worker was lost before it wrote one; `corrupt`: it can't be read.",
});

const attachmentsState = z.enum(OUTPUT_STATES).optional().meta({
  description:
    "Present if the attempt left attachments: whether the list of them is kept. `missing`: entries are missing; `corrupt`: it can't be read.",
});

export const resultQuery = z.object({
  full: switchParameter(`Bring all that is kept instead of the last ${LIMITS.resultStreamBytes} bytes of each stream.`),
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'The attempt to read. Default: the newest.',
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
    final_message: z.string().nullable().meta({ description: "The agent's last message." }),
    composed_prompt: z.string().nullable().meta({ description: 'The text that the agent was given.' }),
    attachments: z.array(attachment).meta({ description: 'The files that the attempt left.' }),
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

export const LOG_STREAMS = ['stdout', 'stderr', 'all'] as const;

export const logsQuery = z.object({
  stream: z.enum(LOG_STREAMS).optional().meta({ description: 'Which stream. Default `all`.' }),
  full: switchParameter(`Bring all that is kept instead of ${LIMITS.logStreamBytes} bytes of each stream.`),
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'An earlier attempt; default: the newest. With `follow` also the next one, which is waited for.',
  }),
  offset: integerParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Byte of the persisted stream to begin at; needs one `stream`. Go on with `next_offset`.',
  }),
  follow: switchParameter(
    'Bring the output as server-sent events while it is written; needs `Accept: text/event-stream`. `full` changes nothing then.',
  ),
});

export const logsHeaders = z.object({
  'last-event-id': z.string().max(60).optional().meta({
    description:
      'With `follow`: the `id` of the last event that was received, of the same `stream`; the stream goes on behind it, whatever `offset` says.',
  }),
});

/** What a followed log looks like on the wire. */
export const logEvents = z.string().meta({
  description: [
    'Server-sent events of one attempt: from its first byte, from `offset`, or from behind `Last-Event-ID`. Concatenated, the texts of a stream are the log.',
    'Events without a name carry output: `data` is `{"attempt","stream","text","offset","next_offset"}`, text of whole characters that stands for the bytes from `offset` up to `next_offset`.',
    'Their `id` is the offset behind what has been sent; with `stream=all` two, `stdout,stderr`. Ids of later attempts than the first begin with the attempt: `2:1024`.',
    '`event: end` (`data`: `{"attempt","status","state_reason","stdout_state","stderr_state"}`) is the last one when the attempt has ended and all its output has been sent; `status` is then the job\'s: QUEUED if another attempt follows, or what that one has come to meanwhile. The states are those of `JobLogs`. Close the connection: an EventSource would ask again.',
    '`event: error` (`data`: `{"error"}`) is the last one when the caller may no longer read, such as `unauthorized` once the token is revoked.',
    `A comment is sent after ${LIMITS.follow.silenceSeconds} seconds of silence. After ${LIMITS.follow.seconds} seconds the stream closes without a last event: go on with \`Last-Event-ID\`, as an EventSource does at once (\`retry: 0\`).`,
    `A deployment streams a limited number of logs at once (\`followStreams\`). Beyond that, a stream sends the output that exists and closes after \`retry: ${LIMITS.follow.pollSeconds * 1000}\`: wait that many milliseconds, then go on with \`Last-Event-ID\`, as an EventSource does.`,
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
      .meta({ description: 'Where the next read of this stream begins; null when `stream` is `all`.' }),
  })
  .meta({ id: 'JobLogs' });
