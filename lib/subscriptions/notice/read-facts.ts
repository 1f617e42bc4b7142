import { addUsage } from '../../contract/usage.ts';
import type { OutputStore } from '../../jobs/output/output-store.ts';
import { listQuestions } from '../../jobs/questions/questions.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import type { JobTextStore } from '../../jobs/store/job-texts.ts';
import { viewReason } from '../../jobs/views/job-view.ts';
import type { NoticeEvent, NoticeFacts } from './notice.ts';

export interface FactsContext {
  readonly jobs: Pick<JobStore, 'find'>;
  readonly texts: Pick<JobTextStore, 'get' | 'labels' | 'questions'>;
  readonly output: Pick<OutputStore, 'readReceipt'>;
  readonly origin: string | undefined;
}

/** What a notice of an event is made of, as it is now: the job may have changed since. */
export async function readFacts(context: FactsContext, event: NoticeEvent): Promise<NoticeFacts> {
  const { jobs, texts, output, origin } = context;
  const base: NoticeFacts = { event, ...(origin !== undefined && { origin }) };
  const job = event.job_id == null ? undefined : await jobs.find(event.job_id);
  if (job === undefined || job === 'newer') return base;
  const [{ prompt }, labels] = await Promise.all([texts.get(job), texts.labels.read([job])]);
  const questions = event.question == null ? [] : await listQuestions(texts.questions, job);
  const question = questions.find(({ id }) => id === event.question?.id);
  const receipt = event.type === 'job.succeeded' ? await output.readReceipt(job.id, job.attempt) : undefined;
  return {
    ...base,
    job: {
      ...{ id: job.id, title: labels.get(job.id)?.title ?? null, prompt, state_reason: viewReason(job) },
      ...{ thread_id: job.thread_id ?? job.id, attempt: job.attempt },
      ...{ started_at: job.started_at ?? null, finished_at: job.finished_at ?? null },
      total_usage: job.usage === undefined ? null : addUsage(job.usage, job.earlier_usage),
    },
    ...(question !== undefined && { question }),
    ...(receipt?.final_message !== undefined && { answer: receipt.final_message }),
  };
}
