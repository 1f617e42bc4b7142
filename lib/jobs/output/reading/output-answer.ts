import type { Readable } from 'node:stream';
import { LIMITS } from '../../../contract/limits.ts';
import { followUpIds } from '../../lifecycle/follow-up-record.ts';
import type { Job } from '../../lifecycle/job.ts';
import { type Receipt, STREAMS, type StreamName } from '../../receipts/receipt.ts';
import { viewOutcome, viewReason } from '../../views/job-view.ts';
import type { Attachment } from '../attachments/attachment-store.ts';
import { viewAttachments } from '../attachments/attachment-view.ts';
import type { ComparedSource, OutputState } from '../compared-output.ts';
import { documentStream } from '../output-document.ts';
import type { OutputSource } from '../output-source.ts';
import { type StreamText, tailText, textFrom } from '../output-text.ts';

/** The streams that an answer contains. */
export type Sources = Readonly<Partial<Record<StreamName, ComparedSource>>>;

/** The members of a result other than its texts. */
export function resultMembers(
  job: Job,
  known: {
    receipt?: Receipt | undefined;
    composedPrompt: string | null;
    attachments: readonly Attachment[];
    receiptState?: OutputState | undefined;
    attachmentsState?: OutputState | undefined;
  },
) {
  const { started_at: started, finished_at: finished } = job;
  return {
    id: job.id,
    status: job.status,
    state_reason: viewReason(job),
    attempt: job.attempt,
    agent: job.agent ?? null,
    model_used: job.model_used ?? null,
    started_at: started ?? null,
    finished_at: finished ?? null,
    duration_ms: started !== undefined && finished !== undefined ? Date.parse(finished) - Date.parse(started) : null,
    final_message: known.receipt?.final_message ?? null,
    composed_prompt: known.composedPrompt,
    attachments: viewAttachments(job.attempt, known.attachments),
    changes: known.receipt?.changes ?? null,
    follow_up_ids: followUpIds(job),
    ...(known.receiptState !== undefined && { receipt_state: known.receiptState }),
    ...(known.attachmentsState !== undefined && { attachments_state: known.attachmentsState }),
    ...viewOutcome(job),
  };
}

/** `GET /result` as JSON text. `ended`: no more output can follow. */
export function resultDocument(
  members: ReturnType<typeof resultMembers>,
  sources: Sources,
  options: { full: boolean; ended: boolean },
): Readable {
  const texts = textsOf(sources, (source) => wholeOrTail(source, LIMITS.resultStreamBytes, options));
  return documentStream({ ...members, ...byteCounts(sources) }, pieces(texts), () => ({
    ...truncations(texts),
    ...states(sources),
  }));
}

/** The requested part of the logs. */
export interface LogsRequest {
  readonly stream: StreamName | 'all';
  readonly full: boolean;
  readonly offset: number | undefined;
  /** Bytes of each stream. */
  readonly limit?: number | undefined;
}

/** `GET /logs` as JSON text. */
export function logsDocument(
  job: Pick<Job, 'id' | 'status'>,
  attempt: number,
  sources: Sources,
  request: LogsRequest,
  options: { ended: boolean },
): Readable {
  const { stream, full, offset, limit: limitBytes = LIMITS.logStreamBytes } = request;
  const texts = textsOf(sources, (source) =>
    offset === undefined
      ? wholeOrTail(source, limitBytes, { full, ...options })
      : textFrom(source, { offset, ...(!full && { limitBytes }), ...options }),
  );
  const members = {
    id: job.id,
    status: job.status,
    attempt,
    stream,
    ...byteCounts(sources),
  };
  return documentStream(members, pieces(texts), () => ({
    ...truncations(texts),
    ...states(sources),
    next_offset: stream === 'all' ? null : (texts[stream]?.nextOffset() ?? 0),
  }));
}

/** The streams that a request asks for. */
export function streamsOf(stream: StreamName | 'all'): readonly StreamName[] {
  return stream === 'all' ? STREAMS : [stream];
}

function wholeOrTail(
  source: OutputSource,
  limitBytes: number,
  { full, ended }: { full: boolean; ended: boolean },
): StreamText {
  return full ? textFrom(source, { offset: 0, ended }) : tailText(source, { limitBytes, ended });
}

type Texts = Partial<Record<StreamName, StreamText>>;

function textsOf(sources: Sources, read: (source: OutputSource) => StreamText): Texts {
  return mapStreams(sources, read);
}

function pieces(texts: Texts): Partial<Record<StreamName, AsyncIterable<string>>> {
  return mapStreams(texts, (text) => text.pieces);
}

function byteCounts(sources: Sources): Record<string, number> {
  return suffixed(
    'bytes',
    mapStreams(sources, (source) => source.size),
  );
}

/** The state of each stream that has a record; final once the texts have been read. */
export function states(sources: Sources): Record<string, OutputState> {
  return suffixed(
    'state',
    mapStreams(sources, (source) => source.state()),
  );
}

function truncations(texts: Texts): Record<string, boolean> {
  return suffixed(
    'truncated',
    mapStreams(texts, (text) => text.truncated()),
  );
}

function mapStreams<A, B>(
  from: Readonly<Partial<Record<StreamName, A>>>,
  map: (value: A) => B | undefined,
): Partial<Record<StreamName, B>> {
  const mapped: Partial<Record<StreamName, B>> = {};
  for (const stream of STREAMS) {
    const value = from[stream];
    const result = value === undefined ? undefined : map(value);
    if (result !== undefined) mapped[stream] = result;
  }
  return mapped;
}

function suffixed<T>(suffix: string, values: Partial<Record<StreamName, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([stream, value]) => [`${stream}_${suffix}`, value]));
}
