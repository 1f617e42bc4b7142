import type { JobView } from '../../contract/schemas/jobs/job.ts';

/** What tells the cost of a job. */
export type CostlyJob = Pick<JobView, 'total_usage' | 'started_at' | 'finished_at' | 'attempt'>;

/** What the job has cost so far, as far as it is known: money or tokens, time, attempts. */
export function* costOf({ total_usage, started_at, finished_at, attempt }: CostlyJob): Generator<string> {
  if (total_usage?.cost_usd !== undefined) yield `$${total_usage.cost_usd.toFixed(2)}`;
  else if (total_usage !== null)
    yield `${(total_usage.input_tokens + total_usage.output_tokens).toLocaleString('en')} tokens`;
  if (started_at !== null && finished_at !== null) yield duration(Date.parse(finished_at) - Date.parse(started_at));
  if (attempt > 1) yield `${attempt} attempts`;
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
