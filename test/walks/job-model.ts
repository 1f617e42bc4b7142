import type { ReasonCode } from '../../lib/contract/schemas/jobs/job-state.ts';
import { isTerminal, type Status } from '../../lib/contract/statuses.ts';

/** The actions of a client that a job's state may reject. */
export type Action = 'submit' | 'edit' | 'cancel' | 'kill' | 'retry';

/** The state after each action in each state that permits it; all others are rejected. */
const PERMITTED: Readonly<Record<Action, Partial<Record<Status, Status>>>> = {
  submit: { DRAFT: 'QUEUED' },
  edit: { QUEUED: 'QUEUED' },
  cancel: { DRAFT: 'CANCELLED', QUEUED: 'CANCELLED', RUNNING: 'RUNNING', CANCELLED: 'CANCELLED' },
  kill: { RUNNING: 'RUNNING' },
  retry: { SUCCEEDED: 'QUEUED', FAILED: 'QUEUED', CANCELLED: 'QUEUED' },
};

/** The reasons that a job of a walk can have; its worker is never lost, and needs no account. */
const REASONS_OF: Readonly<Record<Status, readonly ReasonCode[]>> = {
  DRAFT: ['draft'],
  QUEUED: ['waiting_for_worker', 'retry_backoff'],
  RUNNING: ['running', 'cancelling'],
  SUCCEEDED: ['exited'],
  FAILED: ['exited'],
  CANCELLED: ['cancelled_by_request', 'killed_by_request'],
};

/** How a walk's job behaves when it runs. */
export type Kind = 'short' | 'long' | 'failing';

export interface Seen {
  readonly status: Status;
  readonly attempt: number;
  readonly state_reason: { readonly code: ReasonCode };
}

/**
 * What a client can know of a job while a worker changes its state: the states that it can be in. Each
 * response must fit one of them, and narrows them down.
 */
export class JobModel {
  readonly id: string;
  #kind: Kind;
  readonly #retries: number;
  #possible: Status;
  /** At least. */
  #attempt = 0;
  #isAttemptKnown = true;
  /** Whether a running attempt was asked to end. */
  #asked = false;
  #prompts = 0;

  constructor(id: string, options: { kind: Kind; retries: number; draft: boolean }) {
    this.id = id;
    this.#kind = options.kind;
    this.#retries = options.retries;
    this.#possible = options.draft ? 'DRAFT' : 'QUEUED';
  }

  /** Whether nothing but a client can change the job. */
  get isSettled(): boolean {
    return this.#possible === 'DRAFT' || isTerminal(this.#possible);
  }

  /** A response that shows the job. @throws Error if the model contradicts it. */
  see(seen: Seen): void {
    this.#expect(this.#reachable().has(seen.status), seen);
    this.#take(seen);
  }

  /** An action was answered with 200 and the job. @throws Error if no state that the job can be in permits that. */
  done(action: Action, seen: Seen): void {
    const before = [...this.#reachable()].filter((status) => PERMITTED[action][status] !== undefined);
    const after = new Set(before.map((status) => PERMITTED[action][status]));
    this.#expect(after.has(seen.status), seen, action);
    if (action === 'retry') this.#asked = false;
    if ((action === 'cancel' || action === 'kill') && seen.status === 'RUNNING') {
      this.#asked = true;
      this.#expect(seen.state_reason.code === 'cancelling', seen, action);
    }
    this.#take(seen, action);
  }

  /** An action was rejected for the state. @throws Error if the job can't be in that state, or that state permits it. */
  refused(action: Action, details: { state: Status; action: string }): void {
    const { state } = details;
    const isRight = details.action === action && this.#reachable().has(state) && PERMITTED[action][state] === undefined;
    if (!isRight) throw new Error(`${action} of ${this} was refused with ${JSON.stringify(details)}`);
    // A rejection doesn't show the attempt.
    if (state !== this.#possible) this.#isAttemptKnown = false;
    this.#possible = state;
  }

  edited(kind: Kind | undefined): void {
    this.#kind = kind ?? this.#kind;
    this.#prompts += 1;
  }

  toString(): string {
    const intent = this.#asked ? ', asked to end' : '';
    return `${this.id} (${this.#kind}, last seen ${this.#possible} in attempt ${this.#attempt}${intent}, edited ${this.#prompts} times)`;
  }

  /** Where the worker can have taken the job since it was last seen. */
  #reachable(): Set<Status> {
    const reached = new Set<Status>([this.#possible]);
    for (const status of reached) for (const next of this.#moves(status)) reached.add(next);
    return reached;
  }

  #moves(status: Status): Status[] {
    if (status === 'QUEUED') return ['RUNNING'];
    if (status !== 'RUNNING') return [];
    // A job that was asked to end never runs again automatically, but may have succeeded before.
    if (this.#asked) return this.#kind === 'failing' ? ['CANCELLED'] : ['CANCELLED', 'SUCCEEDED'];
    if (this.#kind !== 'failing') return ['SUCCEEDED'];
    return this.#retries > 0 ? ['FAILED', 'QUEUED'] : ['FAILED'];
  }

  #take(seen: Seen, action?: Action): void {
    this.#expect(seen.attempt >= this.#attempt, seen, action);
    // Only the worker begins attempts: what has come to rest in the same state has had no more of them.
    if (this.isSettled && this.#isAttemptKnown && seen.status === this.#possible)
      this.#expect(seen.attempt === this.#attempt, seen, action);
    this.#expect(REASONS_OF[seen.status].includes(seen.state_reason.code), seen, action);
    this.#possible = seen.status;
    this.#attempt = seen.attempt;
    this.#isAttemptKnown = true;
  }

  #expect(isRight: boolean, { status, attempt, state_reason }: Seen, action?: Action): void {
    if (isRight) return;
    const shown = `${status} (${state_reason.code}) in attempt ${attempt}`;
    throw new Error(`${this} shows as ${shown}${action === undefined ? '' : ` after ${action}`}`);
  }
}
