import { isTerminal } from '../../../lib/contract/statuses.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { MESSAGE_HEADING } from '../../../lib/jobs/messages/message-id.ts';
import type { AttemptContext } from '../../../worker-container/attempt/attempt.ts';
import { MessageCourier, withMessages } from '../../../worker-container/messages/message-courier.ts';

import { rethrowTransient } from '../../../worker-container/secrets/transient-error.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';
import type { ModelSession, ModelSessions } from './sessions.ts';

/** Longest time until an agent reads a message that it was given, milliseconds. */
const READ_WITHIN = 8_000;

interface Talk {
  readonly seen: readonly string[];
  end(): Promise<void>;
}

/** The messages to agents: given by the real courier; the agents read them into their sessions some time later. */
export class ModelMessages {
  readonly #deployment: ModelDeployment;
  readonly #sessions: ModelSessions;

  constructor(deployment: ModelDeployment, sessions: ModelSessions) {
    this.#deployment = deployment;
    this.#sessions = sessions;
  }

  /** Begins an attempt: its agent reads its prompt, and then what it is sent. */
  async begin(
    context: AttemptContext,
    job: Job,
    of: {
      readonly session: ModelSession;
      readonly process: SimulatedProcess;
      readonly watched: EventTarget;
      readonly seen: Set<string>;
    },
  ): Promise<Talk> {
    const { session, process, watched, seen } = of;
    const { messages } = context.texts;
    const now = () => context.clock.now();
    const inSession = new Set(idsIn(session.text));
    const { prompt, given } = await rethrowTransient(() =>
      withMessages({ messages, now, inSession, most: 1_000_000 }, job, ''),
    );
    const courier = new MessageCourier({
      ...{ messages, now, job, given, seen, timing: process.timing },
      onFailure: () => undefined,
    });
    let isOver = false;
    const hear = (text: string) => {
      for (const id of idsIn(text))
        if (idsIn(session.text).includes(id)) this.#deployment.tellFault(`message ${id} is twice in one session`);
      session.hear(text);
    };
    if (given.length > 0) {
      hear(prompt);
      courier.onPromptSeen();
    }
    const check = () => courier.check();
    watched.addEventListener('messages', check);
    courier.open(({ id, text }) => {
      if (isOver) return false;
      process.schedule(
        () => {
          if (isOver) return;
          hear(text);
          courier.onSeen(id);
        },
        this.#deployment.random.skewed(10, READ_WITHIN),
      );
      return true;
    });
    return {
      get seen() {
        return courier.seen;
      },
      async end() {
        isOver = true;
        watched.removeEventListener('messages', check);
        await courier.close();
      },
    };
  }

  /** What is wrong with the messages once everything has come to rest. */
  faultsAtRest(acknowledged: ReadonlyMap<string, string>, jobs: readonly Job[]): string[] {
    const jobOf = new Map(jobs.map((job) => [job.id, job]));
    const rows = this.#deployment.registry.all().filter(({ kind }) => String(kind).startsWith('message#'));
    const faults: string[] = [];
    const known = new Set(rows.map(({ id }) => String(id)));
    for (const id of acknowledged.values())
      if (!known.has(id)) faults.push(`message ${id} was acknowledged and is lost`);
    for (const { kind, id, state, attempt, ...row } of rows) {
      const job = jobOf.get(String(kind).slice('message#'.length));
      if (job === undefined || !isTerminal(job.status)) continue;
      const tell = (fault: string) =>
        faults.push(`message ${String(id)} of ${this.#deployment.nameOf(job.id)}: ${fault}`);
      if (state !== 'delivered' && state !== 'not_delivered') tell(`it stays ${String(state)}`);
      const isLost = state === 'not_delivered' && row.only_now !== true && row.next_job_id === undefined;
      if (isLost && !/cancelled|could not become|script/.test(String(row.reason))) tell('it has become no turn');
      const turn = jobOf.get(String(row.next_job_id));
      if (row.next_job_id !== undefined && turn?.continues !== job.id) tell('the turn that it became is missing');
      if (turn !== undefined) this.#deployment.tellEvent('message became a turn');
      const at = Number(attempt ?? 0);
      const isThere = this.#sessions.textOf(job, at).includes(String(id));
      if (state === 'delivered' && !isThere) tell('no session has it, although it is delivered');
      if (state === 'not_delivered' && isThere && this.#deployment.hadReceipt(job, at, String(id)))
        tell('the session has it, although it is not delivered');
      this.#deployment.tellEvent(state === 'delivered' ? 'message delivered' : 'message not delivered');
    }
    return faults;
  }
}

function idsIn(text: string): string[] {
  return Array.from(text.matchAll(MESSAGE_HEADING), ([, id = '']) => id);
}
