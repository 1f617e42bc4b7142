import type { SessionRecord } from '../../lib/jobs/output/agent-sessions/session-record.ts';
import { REPLACED_SESSION_BYTES, SESSION_BYTES } from '../../lib/jobs/output/agent-sessions/session-record.ts';
import { sessionAboutKey, sessionPartKey } from '../../lib/jobs/output/output-keys.ts';
import type { SessionMeter } from '../../lib/vendors/output/agent-output.ts';
import type { OutputObjects } from '../output/output-objects.ts';
import { machineTiming, retrying, type Timing } from '../output/timing.ts';

import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { readSessionFile, type SessionFilePart, SessionFileRefusedError } from './read-session-file.ts';
import { SESSION_ID } from './session-id.ts';

interface SessionSaverOptions {
  readonly jobId: string;
  readonly attempt: number;
  /** The folder with the CLI's sessions. */
  readonly folder: string;
  /** The id of the session, once it has the prompt; nothing is saved before. */
  readonly sessionId: () => string | undefined;
  readonly about: Pick<
    SessionRecord,
    'agent' | 'cli_version' | 'vendor' | 'account' | 'cwd' | 'worker_id' | 'billed_bytes' | 'resumed_from' | 'chain'
  >;
  /** Reads the usage from what is saved, after `restoredBytes`. */
  readonly meter: SessionMeter | undefined;
  /** How many of its first bytes the meter has, because the attempt continues them. Default: none. */
  readonly restoredBytes?: number;
  readonly account: ServiceAccount | undefined;
  readonly objects: OutputObjects;
  readonly redaction: Redaction;
  readonly timing?: Timing | undefined;
  /** Default: from the disk. */
  readonly readFile?: typeof readSessionFile;
  readonly onFailure: (error: unknown) => void;
}

/** How the warning begins that the end of a session could not be saved. */
export const INCOMPLETE = 'session: not saved completely';

/** Milliseconds between two parts. */
const SAVE_INTERVAL_MS = 10_000;
/** Most bytes of a part, unless one line is longer. */
const PART_BYTES = 4 * 1024 * 1024;
const LINE_FEED = 0x0a;

/**
 * Saves an agent's session as it grows: whole lines, masked, at most one part every 10 s and the rest at the end. Never
 * rejects: an attempt whose session is not saved can't be resumed, and nothing else.
 */
export class SessionSaver {
  readonly #options: SessionSaverOptions;
  readonly #timing: Timing;
  readonly #abort = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #isFinishing = false;
  #saving: Promise<void> = Promise.resolve();
  #identity: string | undefined;
  #generation = 0;
  /** Bytes of the file that were saved, and bytes stored of them. */
  #read = 0;
  #stored = 0;
  /** Bytes stored of all generations. */
  #storedInAll = 0;
  /** What is stored of this generation, and of those before it. */
  #keys: string[] = [];
  #outdated: string[] = [];
  #pending: Part | undefined;
  #refusal: string | undefined;

  constructor(options: SessionSaverOptions) {
    this.#options = options;
    this.#timing = options.timing ?? machineTiming;
  }

  /** The agent wrote something: a model call or the result of a tool may have come. */
  grown(): void {
    if (this.#isFinishing || this.#cancelTimer !== undefined || this.#abort.signal.aborted) return;
    this.#cancelTimer = this.#timing.schedule(() => {
      this.#saving = this.#save().finally(() => {
        this.#cancelTimer = undefined;
      });
    }, SAVE_INTERVAL_MS);
  }

  /**
   * Saves what is left, once no process of the attempt is alive. Retries until the limit.
   * @param limit milliseconds
   * @returns warnings for the job
   */
  async finish(limit: number): Promise<readonly string[]> {
    // Two saves at the same time would store a part twice, and count it twice.
    this.#isFinishing = true;
    this.#cancelTimer?.();
    const cancelLimit = this.#timing.schedule(() => this.#abort.abort(new Error('it took too long')), limit);
    await this.#saving;
    const { onFailure } = this.#options;
    const retry = { timing: this.#timing, signal: this.#abort.signal, onFailure };
    const fault = await retrying(() => this.#saveParts(), retry).then(
      () => this.#refusal,
      (error: Error) => error.message,
    );
    cancelLimit();
    return fault === undefined ? [] : [`${INCOMPLETE}: ${fault}`];
  }

  /** Stops saving, also the rest. */
  dispose(): void {
    this.#cancelTimer?.();
    this.#abort.abort(new Error('the worker had to stop'));
  }

  async #save(): Promise<void> {
    await this.#saveParts().catch(this.#options.onFailure);
  }

  /** Saves all parts there are. A file that may not be read is not read again. */
  async #saveParts(): Promise<void> {
    if (this.#refusal !== undefined) return;
    try {
      while (await this.#savePart());
    } catch (error) {
      if (!(error instanceof SessionFileRefusedError)) throw error;
      this.#refusal = error.message;
      this.#options.onFailure(error);
    }
  }

  /** @returns whether there may be more to save */
  async #savePart(): Promise<boolean> {
    const { objects } = this.#options;
    // A part stays the same in every try: a late first try must not shorten it.
    this.#pending ??= await this.#nextPart();
    if (this.#pending === undefined) return false;
    const { about, key, masked, bytes, hasMore } = this.#pending;
    if (about !== undefined) await objects.put(about.key, about.body, this.#abort.signal);
    await objects.put(key, masked, this.#abort.signal);
    this.#pending = undefined;
    this.#measure(bytes);
    this.#read += bytes.length;
    this.#stored += masked.length;
    this.#storedInAll += masked.length;
    this.#keys.push(...(about === undefined ? [] : [about.key]), key);
    await this.#removeOutdated();
    return hasMore;
  }

  /** The newest generation counts alone once a part of it is stored. What can't be removed now is removed later. */
  async #removeOutdated(): Promise<void> {
    if (this.#outdated.length === 0) return;
    try {
      await this.#options.objects.deleteMany(this.#outdated, this.#abort.signal);
      this.#outdated = [];
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  async #nextPart(): Promise<Part | undefined> {
    const { jobId, attempt, redaction } = this.#options;
    const part = await this.#nextLines();
    if (part === undefined) return undefined;
    if (this.#storedInAll + part.bytes.length > REPLACED_SESSION_BYTES)
      throw new SessionFileRefusedError(`its file was replaced until ${REPLACED_SESSION_BYTES} bytes were saved`);
    // In JSON no secret spans lines, so that lines are masked apart, with all secrets known by now.
    return {
      about: this.#read === 0 ? this.#about(part.path) : undefined,
      key: sessionPartKey(jobId, attempt, this.#generation, this.#stored),
      masked: await redaction.bytes(part.bytes),
      bytes: part.bytes,
      hasMore: this.#read + part.bytes.length < part.size,
    };
  }

  #about(path: string): NonNullable<Part['about']> {
    const { jobId, attempt, redaction, about, sessionId } = this.#options;
    const record = redaction.strings({ version: 1, ...about, session_id: sessionId(), path }, { except: NOT_MASKED });
    return { key: sessionAboutKey(jobId, attempt, this.#generation), body: Buffer.from(JSON.stringify(record)) };
  }

  #measure(bytes: Buffer): void {
    const { meter, restoredBytes = 0 } = this.#options;
    const known = Math.max(restoredBytes - this.#read, 0);
    if (known < bytes.length) meter?.push(bytes.subarray(known), 'own');
  }

  /** The next whole lines of the file; undefined: there is none yet. */
  async #nextLines(): Promise<SessionFilePart | undefined> {
    for (let most = PART_BYTES; ; most *= 4) {
      const part = await this.#next(Math.min(most, SESSION_BYTES));
      if (part === undefined) return undefined;
      const whole = part.bytes.lastIndexOf(LINE_FEED) + 1;
      if (whole > 0) return { ...part, bytes: part.bytes.subarray(0, whole) };
      if (part.bytes.length < most || most >= SESSION_BYTES) return undefined;
    }
  }

  async #next(most: number): Promise<SessionFilePart | undefined> {
    const { folder, account, readFile = readSessionFile } = this.#options;
    const sessionId = this.#options.sessionId();
    // The id becomes a part of a name, and an agent's tools could have written it.
    if (sessionId === undefined || !SESSION_ID.test(sessionId)) return undefined;
    const part = await readFile({ folder, sessionId, from: this.#read, most, account });
    if (part === undefined) return undefined;
    const isSame = part.identity === this.#identity && part.size >= this.#read;
    if (isSame || this.#read === 0) {
      this.#identity = part.identity;
      return part;
    }
    this.#identity = part.identity;
    this.#generation += 1;
    this.#outdated.push(...this.#keys.splice(0));
    this.#options.meter?.reset();
    this.#read = 0;
    this.#stored = 0;
    return await this.#next(most);
  }
}

/** What one try stores. */
interface Part {
  /** Before the first part of a generation. */
  readonly about: { readonly key: string; readonly body: Buffer } | undefined;
  readonly key: string;
  readonly masked: Buffer;
  readonly bytes: Buffer;
  readonly hasMore: boolean;
}

const NOT_MASKED: ReadonlySet<string> = new Set(['agent']);
