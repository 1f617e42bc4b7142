import { Readable } from 'node:stream';
import { ApiError, InvalidFieldError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { isTerminal } from '../../../contract/statuses.ts';
import type { Job } from '../../lifecycle/job.ts';
import { NewerSchemaError } from '../../lifecycle/newer-schema.ts';
import { STREAMS, type StreamName } from '../../receipts/receipt.ts';
import { viewReason } from '../../views/job-view.ts';
import { createCompared, type RecordedStream, type RecordedStreams, recordedStreams } from '../compared-output.ts';
import { textFrom } from '../output-text.ts';
import { readableReceipt } from '../readable-receipt.ts';
import type { FollowSlot, FollowSlots } from './follow-slots.ts';
import { type Sources, states, streamsOf } from './output-answer.ts';
import { markWatched, type OutputContext, requireOneStream } from './read-output.ts';
import { requireKept } from './require-kept.ts';

/** Dependencies for following an output. */
interface FollowContext extends Pick<OutputContext, 'jobs' | 'output' | 'clock'> {
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** Checks again whether the client may read. @throws ApiError that becomes the stream's last event. */
  readonly admit: () => Promise<unknown>;
  readonly slots: Pick<FollowSlots, 'acquire'>;
}

/** What to follow. */
interface FollowRequest {
  readonly stream: StreamName | 'all';
  /** Default: the newest, or the first if none has begun. */
  readonly attempt: number | undefined;
  readonly offset: number | undefined;
  /** The id of the last event that the client received; takes precedence over `offset`. */
  readonly lastEventId: string | undefined;
}

/** The end of a stream is not an error: an EventSource reconnects without a pause. */
const RETRY_AT_ONCE = 'retry: 0\n\n';
/** The end of a stream without a slot. */
const RETRY_LATER = `retry: ${LIMITS.follow.pollSeconds * 1000}\n\n`;

/**
 * Says that the stream ends and the log does not. Without data: parsers pass it on to no handler, and reconnect as after
 * any end, while a person who reads the stream sees why it ends.
 */
const CONTINUE = 'event: continue\n\n';

/** How long the watch mark of a client without a slot lasts: longer than several polls. */
const POLLED_MARK_MS = 5 * LIMITS.follow.pollSeconds * 1000;

/** How much longer than its time a stream may take because its client does not read. Its slot is kept that long. */
const GRACE_MS = 5_000;

/** How often that is checked: a stream that waits for its client runs no code. */
const STALL_CHECK_INTERVAL_MS = 1_000;

/** Time between two polls: with the second that a watched worker takes to ship, output lags less than two seconds. */
export const POLL_INTERVAL_MS = 800;

/**
 * The output of one attempt as server-sent events while it is written (schema `logEvents`). Reads only as fast as its
 * client, and stops within a poll when it is destroyed. Waits for output only with a slot. Destroys itself if the
 * client stalls.
 * @throws InvalidFieldError for an invalid position or attempt; ApiError `output_deleted`
 */
export function followLogs(context: FollowContext, job: Job, request: FollowRequest): Readable {
  const start = startOf(job, request);
  requireKept(job, start.attempt);
  const follow = new Follow(context, job.id, start);
  const events = Readable.from(follow.events(), { objectMode: false });
  const checking = setInterval(() => follow.isOverdue() && events.destroy(), STALL_CHECK_INTERVAL_MS);
  return events.once('close', () => clearInterval(checking));
}

function startOf(job: Job, request: FollowRequest): FollowPosition {
  const { stream, attempt: wanted, offset = 0, lastEventId } = request;
  if (lastEventId === undefined) requireOneStream(request);
  const last = lastEventId === undefined ? undefined : readEventId(lastEventId, stream);
  const named = last?.attempt ?? wanted;
  if (last !== undefined && wanted !== undefined && wanted !== last.attempt) {
    throw InvalidFieldError.of(
      'attempt',
      `received ${wanted}; the event of Last-Event-ID is one of attempt ${last.attempt}`,
    );
  }
  const highest = isTerminal(job.status) ? job.attempt : job.attempt + 1;
  if (named !== undefined && named > highest) {
    throw InvalidFieldError.of('attempt', `received ${named}; expected at most ${highest}`);
  }
  const offsets = Object.fromEntries(streamsOf(stream).map((name) => [name, offset]));
  return last ?? { attempt: named ?? Math.max(1, job.attempt), offsets };
}

class Follow {
  readonly #context: FollowContext;
  readonly #jobId: string;
  readonly #attempt: number;
  readonly #startedAt: number;
  #offsets: Offsets;
  #admittedAt: number;
  #sentAt: number;
  #slot: FollowSlot | undefined;
  #isSlotAsked = false;
  /** As they were last opened. */
  #sources: Sources = {};

  constructor(context: FollowContext, jobId: string, { attempt, offsets }: FollowPosition) {
    this.#context = context;
    this.#jobId = jobId;
    this.#attempt = attempt;
    this.#offsets = offsets;
    this.#startedAt = context.clock.now();
    this.#admittedAt = this.#startedAt;
    this.#sentAt = this.#startedAt;
  }

  /** Whether the stream has exceeded its time because the client stalls or a store does not answer. */
  isOverdue(): boolean {
    return this.#now() > (this.#slot === undefined ? this.#passEndsAt : this.#endsAt) + GRACE_MS;
  }

  async *events(): AsyncGenerator<string> {
    yield RETRY_AT_ONCE;
    try {
      const isWhole = yield* this.#follow();
      if (!isWhole) yield CONTINUE;
      if (!isWhole && this.#slot === undefined) yield RETRY_LATER;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      yield namedEvent('error', { error: error.message });
    } finally {
      await this.#slot?.release();
    }
  }

  /** @returns whether the attempt has ended and all of its output was sent */
  async *#follow(): AsyncGenerator<string, boolean> {
    while (await this.#mayGoOn()) {
      const job = await this.#poll();
      const ended = hasEnded(job, this.#attempt);
      const recorded = ended ? await this.#recorded(job) : {};
      for (const stream of STREAMS) {
        if (this.#offsets[stream] === undefined || job.attempt < this.#attempt) continue;
        const whole = yield* this.#output(stream, { ended, recorded: recorded[stream] });
        if (!whole) return false;
      }
      if (ended) yield endEvent(job, this.#attempt, states(this.#sources));
      if (ended || this.#slot === undefined) return ended;
      if (this.#now() + POLL_INTERVAL_MS > this.#sentAt + LIMITS.follow.silenceSeconds * 1000)
        yield this.#sent(':\n\n');
      await this.#context.pause(POLL_INTERVAL_MS);
    }
    return false;
  }

  async #poll(): Promise<Job> {
    const job = await this.#context.jobs.get(this.#jobId, { consistent: true });
    if (job === undefined) throw ApiError.of('job_not_found');
    if (!hasEnded(job, this.#attempt)) await this.#acquireSlot();
    if (job.status === 'RUNNING' && job.attempt === this.#attempt) await this.#markWatched(job);
    return job;
  }

  /** Lasts only until the client's next request, so that the worker does not ship for a client that has left. */
  async #markWatched(job: Job): Promise<void> {
    const until = this.#endsAt + LIMITS.follow.pollSeconds * 1000;
    await markWatched(this.#context, job, this.#slot === undefined ? { markMs: POLLED_MARK_MS } : { until });
  }

  async #acquireSlot(): Promise<void> {
    if (this.#isSlotAsked) return;
    this.#isSlotAsked = true;
    this.#slot = await this.#context.slots.acquire(this.#endsAt - this.#now() + GRACE_MS);
  }

  /** A receipt of a later version is ignored: what it records may mean something else. */
  async #recorded(job: Job): Promise<RecordedStreams> {
    try {
      const { receipt } = await readableReceipt(this.#context.output, this.#jobId, this.#attempt);
      return recordedStreams(job, this.#attempt, receipt);
    } catch (error) {
      if (error instanceof NewerSchemaError) return {};
      throw error;
    }
  }

  /** Sends what has been persisted since the last poll. @returns whether all of it was sent */
  async *#output(
    stream: StreamName,
    { ended, recorded }: { readonly ended: boolean; readonly recorded: RecordedStream | undefined },
  ): AsyncGenerator<string, boolean> {
    const attempt = this.#attempt;
    let offset = this.#offsets[stream] ?? 0;
    const at = { jobId: this.#jobId, attempt, stream, from: offset };
    const source = await createCompared(this.#context.output, at, recorded);
    this.#sources = { ...this.#sources, [stream]: source };
    const text = textFrom(source, { offset, ended });
    for await (const piece of text.pieces) {
      const next = text.nextOffset();
      this.#offsets = { ...this.#offsets, [stream]: next };
      const data = { attempt, stream, text: piece, offset, next_offset: next };
      yield this.#sent(`id: ${eventId({ attempt, offsets: this.#offsets })}\ndata: ${JSON.stringify(data)}\n\n`);
      offset = next;
      if (!(await this.#mayGoOn())) return false;
    }
    return true;
  }

  get #passEndsAt(): number {
    return this.#startedAt + LIMITS.follow.passSeconds * 1000;
  }

  get #endsAt(): number {
    return this.#startedAt + LIMITS.follow.seconds * 1000;
  }

  /** Whether there is time left; checks the client's permission again if that is due. */
  async #mayGoOn(): Promise<boolean> {
    if (this.#now() + POLL_INTERVAL_MS > this.#admittedAt + LIMITS.follow.admitSeconds * 1000) {
      await this.#context.admit();
      this.#admittedAt = this.#now();
    }
    if (this.#now() < this.#passEndsAt) return true;
    await this.#acquireSlot();
    return this.#slot !== undefined && this.#now() < this.#endsAt;
  }

  #now(): number {
    return this.#context.clock.now();
  }

  #sent(event: string): string {
    this.#sentAt = this.#now();
    return event;
  }
}

/** Whether an attempt can no longer write; also true if it can no longer begin. */
function hasEnded(job: Job, attempt: number): boolean {
  if (job.attempt !== attempt) return job.attempt > attempt || isTerminal(job.status);
  return job.status !== 'RUNNING';
}

function endEvent(job: Job, attempt: number, left: ReturnType<typeof states>): string {
  const { status } = job;
  return namedEvent('end', { attempt: Math.min(attempt, job.attempt), status, state_reason: viewReason(job), ...left });
}

function namedEvent(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Byte offsets of the followed streams. */
type Offsets = Readonly<Partial<Record<StreamName, number>>>;

/** How far a client has followed the output: everything before these offsets of this attempt has been sent. */
interface FollowPosition {
  readonly attempt: number;
  readonly offsets: Offsets;
}

/** The `id` of an event: `12`, or `12,34` of stdout and stderr; after the first attempt with its number: `2:12`. */
function eventId({ attempt, offsets }: FollowPosition): string {
  const numbers = STREAMS.flatMap((stream) => offsets[stream] ?? []).join(',');
  // Without it the offset of an attempt that has ended meanwhile would be applied to the next attempt.
  return attempt === 1 ? numbers : `${attempt}:${numbers}`;
}

/**
 * The position that the `id` of an event of these streams encodes.
 * @throws InvalidFieldError if it encodes none
 */
function readEventId(id: string, stream: StreamName | 'all'): FollowPosition {
  const streams = streamsOf(stream);
  const match = /^(?:([1-9]\d{0,5}):)?(\d{1,16}(?:,\d{1,16})?)$/.exec(id);
  const numbers = (match?.[2] ?? '').split(',').map(Number);
  if (match === null || numbers.length !== streams.length) {
    throw InvalidFieldError.of(
      'last-event-id',
      `received ${JSON.stringify(id)}; with stream=${stream} expected an event's id such as ${stream === 'all' ? '12,34' : '12'}`,
    );
  }
  return {
    attempt: Number(match[1] ?? 1),
    offsets: Object.fromEntries(streams.map((name, at) => [name, numbers[at]])),
  };
}
