import { ApiError } from '../../../lib/contract/errors.ts';
import type { JobChanges, NewJob } from '../../../lib/contract/schemas/jobs/one-name.ts';
import { retryDeployment } from '../../../lib/deployments/retry-deployment.ts';
import { actInThread } from '../../../lib/jobs/admission/thread-slot.ts';
import { unparkAll } from '../../../lib/jobs/admission/vendor-gate.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { editJob } from '../../../lib/jobs/creation/edit-job.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import type { ParkReason } from '../../../lib/jobs/lifecycle/gates.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../lib/jobs/lifecycle/job-event.ts';
import { acceptMessage } from '../../../lib/jobs/messages/accept-message.ts';
import { answerQuestion } from '../../../lib/jobs/questions/questions.ts';
import { type RereadJob, rereadJob } from '../../../lib/jobs/reread/reread-job.ts';
import { findJob } from '../../../lib/jobs/store/find-job.ts';
import { endJob } from '../../../lib/jobs/trees/act-on-tree.ts';
import { awaitFollowUps } from '../../../lib/reconciler/await-follow-ups.ts';
import { deleteOnRequest } from '../../../lib/reconciler/delete-output.ts';
import type { SimulatedProcess } from '../model/simulated-process.ts';
import type { ModelDeployment } from './deployment.ts';
import { changeTemplate, type TemplateChange } from './templates.ts';
import { startProcess, watchOf } from './workers.ts';

/** What a client hears: an answer, a refusal, or nothing that says whether it was done. */
export type Answer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'unknown' };

/** API Gateway gives up after so many milliseconds. */
const LONGEST_ANSWER = 29_000;

/** The API's functions: a process takes calls until it is killed; then another does. */
export class ModelApi {
  readonly #deployment: ModelDeployment;
  #process: SimulatedProcess | undefined;
  #count = 0;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  create(creation: NewJob): Promise<Answer<{ id: string; replayed: boolean }>> {
    return this.#answer((process) => createJob(this.#context(process, 'create'), creation, 'token:client'));
  }

  edit(id: string, fields: JobChanges): Promise<Answer<Job>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'edit');
      return await editJob(context, await findJob(context.jobs, id), fields, 'edit');
    });
  }

  act(id: string, event: JobEvent): Promise<Answer<Job>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, event.type);
      const options = { action: event.type, onFailure: () => undefined };
      return await actInThread(context, await findJob(context.jobs, id), event, options);
    });
  }

  /** Ends a job with all its descendants. */
  endTree(id: string, action: 'cancel' | 'kill'): Promise<Answer<{ job: Job; cancelled: number }>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, action);
      const options = { action, tree: true, onFailure: () => undefined };
      return await endJob(context, await findJob(context.jobs, id), options);
    });
  }

  say(id: string, key: string): Promise<Answer<{ id: string; replayed: boolean }>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'say');
      const job = await findJob(context.jobs, id);
      const messages = { ...context, messages: context.texts.messages };
      return await acceptMessage(
        messages,
        job,
        { text: 'count to three', idempotency_key: key, only_now: key.endsWith('3') },
        'token:client',
      );
    });
  }

  answer(id: string, questionId: string, answer: string): Promise<Answer<Job>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'answer');
      return await answerQuestion(context, await findJob(context.jobs, id), { questionId, answer, by: 'token:client' });
    });
  }

  /** Has a binding act on a succeeded job again. */
  deploy(id: string, binding: string): Promise<Answer<JobDeployment>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'deploy');
      return await retryDeployment(context, await findJob(context.jobs, id), binding);
    });
  }

  /** A job with its texts, once its follow-ups are there or late. */
  read(id: string): Promise<Answer<Job>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'read');
      const job = await awaitFollowUps(context, await findJob(context.jobs, id));
      await context.texts.get(job);
      return job;
    });
  }

  /** Deletes what an ended job's attempts wrote. */
  deleteOutput(id: string): Promise<Answer<{ readonly job: Job }>> {
    return this.#answer((process) => deleteOnRequest(this.#context(process, 'delete-output'), id, 'token:admin'));
  }

  reread(id: string): Promise<Answer<RereadJob>> {
    return this.#answer(async (process) => {
      const context = this.#context(process, 'reread');
      return await rereadJob(context, await findJob(context.jobs, id));
    });
  }

  changeTemplate(change: TemplateChange): Promise<Answer<string>> {
    return this.#answer(async (process) => {
      const { registry, clock } = this.#context(process, 'change-template');
      return await changeTemplate({ ...registry, clock }, change);
    });
  }

  /** The vendor account was linked, or its limit is over. */
  link(reason: ParkReason): Promise<Answer<void>> {
    return this.#answer((process) => unparkAll(this.#context(process, 'link'), reason));
  }

  #context(process: SimulatedProcess, doing: string) {
    return watchOf(this.#deployment, process, { id: process.name, doing });
  }

  #answer<T>(call: (process: SimulatedProcess) => Promise<T>): Promise<Answer<T>> {
    if (this.#process?.alive !== true) {
      this.#count += 1;
      this.#process = startProcess(this.#deployment, `api-${this.#count}`);
    }
    const process = this.#process;
    return new Promise((resolve) => {
      const unknown = () => resolve({ kind: 'unknown' });
      process.onDeath(unknown);
      this.#deployment.time.schedule(unknown, LONGEST_ANSWER);
      call(process).then(
        (value) => resolve({ kind: 'answered', value }),
        (error: unknown) => resolve(error instanceof ApiError ? { kind: 'refused', error } : { kind: 'unknown' }),
      );
    });
  }
}
