import { promptLength } from '../../lib/contract/compose-prompt.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { LEASE } from '../../lib/jobs/lifecycle/lease.ts';
import { messageText } from '../../lib/jobs/messages/message-id.ts';
import type { JobMessageStore, MessageRow } from '../../lib/jobs/store/job-messages.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { machineTiming, type Timing } from '../output/timing.ts';

interface CourierOptions {
  readonly messages: JobMessageStore;
  readonly now: () => number;
  readonly job: Pick<Job, 'id' | 'attempt'>;
  /** Ids of the messages in the attempt's prompt. */
  readonly given: readonly string[];
  /** Collects the ids of the messages that the session has got during this attempt. */
  readonly seen: Set<string>;
  readonly onFailure: (error: unknown) => void;
  /** Default: this machine's. */
  readonly timing?: Timing | undefined;
}

/** Gives a running agent the messages to its job, and records which of them its session has. */
export class MessageCourier {
  readonly #options: CourierOptions;
  #say: ((message: { readonly id: string; readonly text: string }) => boolean) | undefined;
  #work: Promise<void> = Promise.resolve();
  #isPromptSeen = false;
  /** Ids of the messages that the agent was given. */
  readonly #said: Set<string>;
  #cancelRetry: (() => void) | undefined;

  constructor(options: CourierOptions) {
    this.#options = options;
    this.#said = new Set(options.given);
  }

  /** Ids of the messages that the session has got during this attempt. */
  get seen(): readonly string[] {
    return [...this.#options.seen];
  }

  /** The agent takes messages from now on. @param say returns false if its turn is over */
  open(say: (message: { readonly id: string; readonly text: string }) => boolean): void {
    this.#say = say;
    this.check();
  }

  /** There may be new messages. If they can't be given now, that is tried again 2 s later. */
  check(): void {
    this.#then(async () => {
      this.#cancelRetry?.();
      await this.#deliver().catch((error: unknown) => {
        const { timing = machineTiming } = this.#options;
        this.#cancelRetry = timing.schedule(() => this.check(), LEASE.lookEvery);
        throw error;
      });
    });
  }

  /** The agent has begun its session with the prompt. */
  onPromptSeen(): void {
    if (this.#isPromptSeen) return;
    this.#isPromptSeen = true;
    for (const id of this.#options.given) this.onSeen(id);
  }

  /** The message is in the session. */
  onSeen(id: string): void {
    this.#options.seen.add(id);
    this.#then(() => this.#record(id));
  }

  /** The agent has ended. Resolves when what is seen is recorded, or could not be. */
  async close(): Promise<void> {
    this.#say = undefined;
    await this.#work;
    this.#cancelRetry?.();
  }

  #then(task: () => Promise<void>): void {
    this.#work = this.#work.then(task).catch(this.#options.onFailure);
  }

  async #deliver(): Promise<void> {
    const { messages, job } = this.#options;
    if (this.#say === undefined) return;
    for (const row of await messages.list(job.id)) {
      if (!(await this.#take(row))) continue;
      this.#said.add(row.id);
      if (this.#say?.({ id: row.id, text: messageText(row) }) !== true) return;
    }
  }

  /** Marks a message as sent by this attempt. @returns false: it is not to be given */
  async #take(row: MessageRow): Promise<boolean> {
    const { messages, job } = this.#options;
    // The mark may have been written although its answer was lost.
    const isMarked = (one: MessageRow | undefined) =>
      one?.state === 'sent' && one.attempt === job.attempt && !this.#said.has(one.id);
    if (row.state !== 'pending') return isMarked(row);
    const sent = await messages.change(job.id, row, { state: 'sent', attempt: job.attempt });
    return sent !== undefined || isMarked(await messages.get(job.id, row.id));
  }

  async #record(id: string): Promise<void> {
    const { messages, job, now } = this.#options;
    const row = await messages.get(job.id, id);
    if (row === undefined || row.attempt !== job.attempt || row.state === 'not_delivered') return;
    await messages.change(job.id, row, { state: 'delivered', delivered_at: timestamp(now()) });
  }
}

/** A prompt with the messages that go with it. */
export interface PromptWithMessages {
  readonly prompt: string;
  /** Ids of the messages in the prompt. */
  readonly given: readonly string[];
}

interface Giving {
  readonly messages: JobMessageStore;
  readonly now: () => number;
  /** Ids of the messages that the session to continue has. */
  readonly inSession: ReadonlySet<string>;
  /** Most characters of the prompt. */
  readonly most: number;
}

/**
 * Adds the messages to a prompt that the agent's session lacks, in order and as far as the prompt may be longer. The
 * session decides: messages that an earlier attempt had delivered are given again to an agent that starts over.
 */
export async function withMessages(
  { messages, now, inSession, most }: Giving,
  job: Pick<Job, 'id' | 'attempt' | 'messages'>,
  prompt: string,
): Promise<PromptWithMessages> {
  if (job.messages === undefined) return { prompt, given: [] };
  const given: string[] = [];
  let all = prompt;
  for (const row of await messages.list(job.id)) {
    if (row.state !== 'pending' && row.state !== 'sent' && row.state !== 'delivered') continue;
    if (inSession.has(row.id)) {
      if (row.state !== 'delivered')
        await messages.change(job.id, row, { state: 'delivered', delivered_at: timestamp(now()) });
      continue;
    }
    const longer = `${all}\n\n${messageText(row)}`;
    if (promptLength(longer) > most) break;
    // The process that settles the end of the round before may be faster. What is delivered stays so: this attempt may
    // have been replaced, and nothing would settle the message again.
    const isTaken =
      row.state === 'delivered' ||
      (await messages.change(job.id, row, { state: 'sent', attempt: job.attempt })) !== undefined;
    if (!isTaken) continue;
    all = longer;
    given.push(row.id);
  }
  return { prompt: all, given };
}
