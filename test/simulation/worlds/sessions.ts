import type { S3Client } from '@aws-sdk/client-s3';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { AgentSessionStore } from '../../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import { chainOf, findSession } from '../../../worker-container/agent-sessions/restore-session.ts';
import { SessionSaver } from '../../../worker-container/agent-sessions/session-saver.ts';
import type { Ending } from '../../../worker-container/commands/ending.ts';
import { isReleasingJob } from '../../../worker-container/commands/ending.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { ENV } from '../model/environment.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import { evidenceOf } from './agent.ts';
import type { ModelDeployment } from './deployment.ts';
import { asOutputObjects } from './output.ts';

/** The CLI's id of every session: a session is identified by its job. */
const SESSION_ID = '01a207f5-eb44-7283-a012-30a0de506a94';

/** What a worker that must go spends on saving, and any other, milliseconds, as `finish-agent.ts` has it. */
const SAVE_LIMITS_MS = { releasing: 10_000, other: 60_000 };

/** What one attempt has in its session, and what of it the object store has acknowledged. */
interface Kept {
  text: string;
  acknowledged: number;
}

/** The sessions of agents: saved by the real saver and found by the real search; the files are memory. */
export class ModelSessions {
  readonly #deployment: ModelDeployment;
  /** By `evidenceOf`. */
  readonly #kept = new Map<string, Kept>();

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** What an attempt's session has, saved or not. */
  textOf(job: Pick<Job, 'id'>, attempt: number): string {
    return this.#kept.get(evidenceOf(job, attempt))?.text ?? '';
  }

  /** Starts an attempt's session, or continues the one that its job is to continue. */
  async begin(objects: S3Client, process: SimulatedProcess, job: Job): Promise<ModelSession> {
    const continued = await this.#continued(objects, job);
    const kept: Kept = { text: continued, acknowledged: 0 };
    this.#kept.set(evidenceOf(job, job.attempt), kept);
    return new ModelSession({ objects, process, job, kept, random: this.#deployment.random });
  }

  async #continued(objects: S3Client, job: Job): Promise<string> {
    const { tellFault } = this.#deployment;
    // As of now: an attempt that was replaced may still save what it had while this one looks.
    const expected = this.#newestOfChain(job);
    const found = await findSession({
      candidates: chainOf(job),
      sessions: new AgentSessionStore(objects, ENV.OUTPUT_BUCKET),
    });
    const text = found === undefined ? '' : Buffer.concat(await Array.fromAsync(found.session.read())).toString();
    const name = `attempt ${job.attempt} of ${this.#deployment.nameOf(job.id)}`;
    if (expected !== undefined && (found?.attempt ?? 0) < expected.attempt)
      tellFault(`${name} continued attempt ${found?.attempt}, although ${expected.attempt} had saved its session`);
    if (found === undefined) return text;
    const source = this.#kept.get(evidenceOf(job, found.attempt));
    if (source === undefined || !source.text.startsWith(text)) tellFault(`${name} continued what no attempt had`);
    else if (found.attempt === expected?.attempt && text.length < expected.acknowledged)
      tellFault(`${name} lost what attempt ${found.attempt} had saved`);
    return text;
  }

  #newestOfChain({
    id,
    resume_from = 0,
    resume_oldest = resume_from,
  }: Job): Readonly<{ attempt: number; acknowledged: number }> | undefined {
    for (let attempt = resume_from; attempt >= resume_oldest && attempt > 0; attempt -= 1) {
      const { acknowledged = 0 } = this.#kept.get(evidenceOf({ id }, attempt)) ?? {};
      if (acknowledged > 0) return { attempt, acknowledged };
    }
    return undefined;
  }
}

/** The session of one attempt. */
export class ModelSession {
  readonly #saver: SessionSaver;
  readonly #kept: Kept;
  readonly #process: SimulatedProcess;
  readonly #random: ModelDeployment['random'];
  readonly #name: string;

  constructor(of: {
    readonly objects: S3Client;
    readonly process: SimulatedProcess;
    readonly job: Job;
    readonly kept: Kept;
    readonly random: ModelDeployment['random'];
  }) {
    const { job, kept, process } = of;
    const store = asOutputObjects(of.objects, () => Buffer.alloc(0));
    this.#kept = kept;
    this.#process = process;
    this.#random = of.random;
    this.#name = evidenceOf(job, job.attempt);
    this.#saver = new SessionSaver({
      jobId: job.id,
      attempt: job.attempt,
      folder: '',
      sessionId: () => SESSION_ID,
      about: { agent: 'codex', vendor: 'practice', cwd: '/work', worker_id: process.name, billed_bytes: 0 },
      meter: undefined,
      account: undefined,
      objects: {
        ...store,
        async put(key, body, signal) {
          await store.put(key, body, signal);
          if (!key.endsWith('.json')) kept.acknowledged += body.length;
        },
      },
      redaction: new Redaction(),
      timing: process.timing,
      readFile: async ({ from, most }) => {
        const bytes = Buffer.from(kept.text);
        return { identity: 'one', size: bytes.length, path: 'session', bytes: bytes.subarray(from, from + most) };
      },
      onFailure: () => undefined,
    });
    if (kept.text !== '') this.#saver.grown();
  }

  /** What the agent has read. */
  get text(): string {
    return this.#kept.text;
  }

  /** The agent reads a message. */
  hear(text: string): void {
    this.#kept.text += `${text}\n`;
    this.#saver.grown();
  }

  /** Makes some model calls in the time that its agent runs. */
  converse(length: number): void {
    const calls = this.#random.integer(0, 3);
    for (let call = 0; call < calls; call += 1) {
      this.#process.schedule(() => {
        this.#kept.text += `{"call":"${this.#name}.${call}"}\n`;
        this.#saver.grown();
      }, this.#random.next() * length);
    }
  }

  async finish(ending: Ending): Promise<void> {
    if (ending.reason === 'lost') this.#saver.dispose();
    else await this.#saver.finish(isReleasingJob(ending) ? SAVE_LIMITS_MS.releasing : SAVE_LIMITS_MS.other);
  }

  dispose(): void {
    this.#saver.dispose();
  }
}
