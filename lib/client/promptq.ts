import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch';
import { isTerminal } from '../contract/statuses.ts';
import { type ActionName, type ActionOptions, act } from './act.ts';
import { answer } from './answer.ts';
import type { components, paths } from './api-types.ts';
import { answerOf, dataOf } from './data-of.ts';
import { RequestError, TransientError, UnreachableError } from './errors.ts';
import { type EndEvent, eventsOf, type LogEvent, type Place } from './log-events.ts';
import { Retries, type RetryPolicy, repeatWithKey } from './repeat.ts';
import { retryingFetch, tryOnce } from './transport.ts';

/** The API's schemas, by their names in openapi.json. */
export type Schemas = components['schemas'];
/** The fields of `POST /jobs`, of which `prompt` is required. */
export type JobFields = Schemas['JobCreation'];

export interface PromptqOptions extends Partial<RetryPolicy> {
  /** Address of the service, with or without `/api/v1`. */
  readonly baseUrl: string;
  /** An API token. */
  readonly token: string;
}

export interface FollowOptions {
  readonly stream?: 'stdout' | 'stderr' | 'all';
  /** The attempt to start with; default: the newest. */
  readonly attempt?: number | undefined;
  /** Ends with this attempt, even if another one follows. */
  readonly oneAttempt?: boolean;
  readonly signal?: AbortSignal;
}

/** Seconds for which failing requests are retried. */
const RETRY_SECONDS = 60;
/** Seconds for which the service may hold a status. */
const HOLD_SECONDS = 25;
/** Answers in a row after which a status is held for longer, if a cut had made that time shorter. */
const ANSWERS_BEFORE_LONGER = 10;
/** Milliseconds between two requests for a status that is not held. */
const POLL_MS = 2_000;
/** A stream without an event that is closed sooner has failed. The service closes one after minutes. */
const SHORTEST_STREAM_MS = 1_000;
const EVENT_STREAM = 'text/event-stream';

/** A client of one service. Requests are retried while the service can't be reached, and answers 429 or 5xx. */
export class Promptq {
  readonly baseUrl: string;
  /** Every route, typed. A POST of it is sent once. */
  readonly api: Client<paths>;
  /** The same without retries. */
  readonly #once: Client<paths>;
  readonly #headers: Readonly<Record<string, string>>;
  /** How it retries; for programs that repeat their own requests. */
  readonly policy: RetryPolicy;

  constructor({ baseUrl, token, retrySeconds = RETRY_SECONDS, onRetry, signal }: PromptqOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
    this.policy = { retrySeconds, onRetry, signal };
    this.#headers = { authorization: `Bearer ${token}` };
    const options = { baseUrl: this.baseUrl, headers: this.#headers, pathSerializer: pathOf };
    this.api = createClient<paths>({ ...options, fetch: retryingFetch(this.policy) });
    this.#once = createClient<paths>({ ...options, fetch: async (request) => await tryOnce(request, signal) });
  }

  /**
   * Creates a job. However often the request is sent, its `idempotency_key` makes one job; without one, the client adds one.
   * @throws RequestError; UnreachableError, also if the signal ends a request that may have made the job; the reason of a
   *   signal that was aborted before
   */
  async create(fields: JobFields, { signal }: { signal?: AbortSignal } = {}): Promise<Schemas['JobCreated']> {
    signal?.throwIfAborted();
    const over = AbortSignal.any([signal, this.policy.signal].filter((one) => one !== undefined));
    const key = fields.idempotency_key ?? randomUUID();
    const body = { ...fields, idempotency_key: key };
    const send = async () => await dataOf(this.#once.POST('/api/v1/jobs', { body, signal: over }));
    return await repeatWithKey(send, { ...this.policy, signal: over }, { key, done: 'the job was created' });
  }

  /** Submits, cancels, kills or retries a job, once, even if an answer is lost. Returns the job. */
  async act(action: ActionName, id: string, options: ActionOptions = {}): ReturnType<typeof act> {
    return await act(this.api, this.policy, { ...options, action, id });
  }

  /** Sends a message to the agent of a job. However often the request is sent, it is one message. */
  async say(id: string, fields: Schemas['MessageCreation']): Promise<Schemas['MessageAccepted']> {
    const key = fields.idempotency_key ?? randomUUID();
    const options = { params: { path: { id } }, body: { ...fields, idempotency_key: key } };
    const send = async () => await dataOf(this.#once.POST('/api/v1/jobs/{id}/messages', options));
    return await repeatWithKey(send, this.policy, { key, done: 'the message was sent' });
  }

  /** Answers a question of a job, once, even if an answer is lost. Returns the job. */
  async answer(id: string, fields: Schemas['Answer']): Promise<Schemas['Job']> {
    return await answer(this.api, this.policy, { id, ...fields });
  }

  /**
   * Calls a route that `api` has no types for.
   * @param path after `/api/v1`, with its query
   * @param body JSON
   * @throws RequestError, UnreachableError
   */
  async request(method: string, path: string, body?: string): Promise<Response> {
    rejectFolders(path);
    const headers = { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const request = new Request(`${this.baseUrl}/api/v1${path}`, { method, headers, body: body ?? null });
    const response = await retryingFetch(this.policy)(request).catch((error: unknown) => {
      if (!(error instanceof TransientError)) throw error;
      const rest = error.hadNoEffect ? '' : '; it is unknown whether the request took effect';
      throw new UnreachableError(`${error.message}${rest}`, { cause: error });
    });
    return (await answerOf(Promise.resolve({ response, error: response.ok ? '' : await response.text() }))).response;
  }

  /**
   * The states of a job, from the current one to its end. A state is yielded when status, reason or attempt changes, and
   * each change of a job that asks a question, which may be another one.
   */
  async *states(id: string, options: { signal?: AbortSignal } = {}): AsyncGenerator<Schemas['JobLifecycle']> {
    const retries = new Retries(this.policy);
    let holdSeconds = HOLD_SECONDS;
    let answers = 0;
    let last: string | undefined;
    for (;;) {
      const query = last === undefined ? {} : { wait: holdSeconds };
      try {
        const call = this.#once.GET('/api/v1/jobs/{id}/status', { params: { path: { id }, query }, ...options });
        const state = await dataOf(call);
        retries.succeeded();
        answers += 1;
        if (answers % ANSWERS_BEFORE_LONGER === 0) holdSeconds = Math.min(HOLD_SECONDS, holdSeconds * 2 || 1);
        const { code } = state.state_reason;
        const now = [state.status, code, state.attempt, ...(code === 'question' ? [state.updated_at] : [])].join();
        if (now !== last) yield state;
        if (state.terminal) return;
        last = now;
        if (holdSeconds === 0) await sleep(POLL_MS, undefined, options);
      } catch (error) {
        await retries.failed(error, options.signal);
        answers = 0;
        // A proxy may cut off requests that are held.
        if (error instanceof TransientError && error.wasCut) holdSeconds = Math.floor(holdSeconds / 2);
      }
    }
  }

  /** Waits until a job has ended. @throws RequestError, UnreachableError; the reason of an aborted signal */
  async wait(id: string, options: { signal?: AbortSignal } = {}): Promise<Schemas['JobLifecycle']> {
    for await (const state of this.states(id, options)) if (state.terminal) return state;
    throw new Error('the states of a job end with a terminal one');
  }

  /** The result of the newest attempt. */
  async result(id: string): Promise<Schemas['JobResult']> {
    return await dataOf(this.api.GET('/api/v1/jobs/{id}/result', { params: { path: { id } } }));
  }

  /** Creates a job, waits for its end and returns its result, whatever its status. */
  async run(fields: JobFields, options: { signal?: AbortSignal } = {}): Promise<Schemas['JobResult']> {
    const { id } = await this.create(fields, options);
    await this.wait(id, options);
    return await this.result(id);
  }

  /**
   * The output of a job while it is written, and the end of each attempt. A lost connection is continued behind the last
   * byte received. Ends with the job.
   * @throws RequestError, UnreachableError; the reason of an aborted signal
   */
  async *follow(id: string, options: FollowOptions = {}): AsyncGenerator<LogEvent> {
    let { attempt } = options;
    for (;;) {
      try {
        const end = yield* this.#attemptEvents(id, { ...options, attempt });
        if (options.oneAttempt || isTerminal(end.status)) return;
        attempt = end.attempt + 1;
      } catch (error) {
        const isNamed = attempt === options.attempt && (options.oneAttempt || attempt !== 1);
        if (isNamed || !(error instanceof RequestError) || error.status !== 400) throw error;
        // The job may have been cancelled before the attempt began.
        const { data: state } = await this.api.GET('/api/v1/jobs/{id}/status', { params: { path: { id } } });
        if (state?.terminal && state.attempt < (attempt ?? 0)) return;
        throw error;
      }
    }
  }

  async *#attemptEvents(id: string, options: FollowOptions): AsyncGenerator<LogEvent, EndEvent> {
    const { signal } = options;
    const place: Place = { lastEventId: undefined, pauseMs: 0 };
    const retries = new Retries(this.policy);
    const closures = new Retries(this.policy);
    for (;;) {
      const openedAt = performance.now();
      let isEmpty = true;
      try {
        const response = await this.#connect(id, options, place);
        retries.succeeded();
        for await (const event of eventsOf(response, place, signal)) {
          isEmpty = false;
          yield event;
          if (event.type === 'end') return event;
        }
        // A proxy may do that to every stream: requests without a pause would all meet the same.
        if (isEmpty && place.pauseMs === 0 && performance.now() - openedAt < SHORTEST_STREAM_MS)
          await closures.failed(new TransientError('the event stream was closed at once'), signal);
        else closures.succeeded();
        await sleep(place.pauseMs, undefined, { signal });
      } catch (error) {
        await retries.failed(error, signal);
      }
    }
  }

  async #connect(id: string, { stream = 'all', attempt, signal }: FollowOptions, place: Place): Promise<Response> {
    const call = this.#once.GET('/api/v1/jobs/{id}/logs', {
      params: {
        path: { id },
        query: { follow: '1', stream, ...(attempt !== undefined && { attempt }) },
        ...(place.lastEventId !== undefined && { header: { 'last-event-id': place.lastEventId } }),
      },
      headers: { accept: EVENT_STREAM },
      parseAs: 'stream',
      ...(signal && { signal }),
    });
    const { response } = await answerOf(call);
    const type = response.headers.get('content-type') ?? 'none';
    if (type.startsWith(EVENT_STREAM)) return response;
    await response.body?.cancel();
    const which = `its content type is ${type}; expected ${EVENT_STREAM}`;
    throw new UnreachableError(`the response is not of a Promptq service: ${which}`);
  }
}

/** URLs take these parts of a path, in any spelling, for the folder itself or the one above it. */
const FOLDER = /^(\.|%2e){1,2}$/i;

/**
 * The path of a route with its values.
 * @throws RequestError for a value that would lead to another route
 */
function pathOf(route: string, values: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(values))
    if (FOLDER.test(String(value))) throw refused(name, String(value));
  return defaultPathSerializer(route, values);
}

/** @throws RequestError for a path, with or without its query, that leads to another one */
function rejectFolders(path: string): void {
  const [route = ''] = path.split(/[?#]/, 1);
  const part = route.split(/[/\\]/).find((text) => FOLDER.test(text));
  if (part !== undefined) throw refused('path', path);
}

function refused(name: string, value: string): RequestError {
  const received = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return new RequestError(400, {
    error: `${name}: received ${JSON.stringify(received)}; "." and ".." are no part of an address`,
  });
}
