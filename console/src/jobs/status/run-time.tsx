import { duration } from '../../format/duration.ts';
import { useNow } from '../../format/time-ago.tsx';
import type { JobSummary } from '../queries/jobs-query.ts';

interface RunTimeProps {
  readonly job: Pick<JobSummary, 'status' | 'started_at' | 'finished_at'>;
  /** When the job was last read (ms), if it can't be read now. */
  readonly asOf?: number | undefined;
}

/** The run time of the newest attempt, final or so far. Empty while a job waits for another attempt. */
export function RunTime({ job, asOf }: RunTimeProps) {
  const now = useNow();
  const { status, started_at: startedAt, finished_at: finishedAt } = job;
  if (startedAt === null || (finishedAt === null && status !== 'RUNNING')) return <>-</>;
  const length = (finishedAt === null ? (asOf ?? now) : Date.parse(finishedAt)) - Date.parse(startedAt);
  const from = new Date(startedAt).toLocaleString();
  return (
    <span title={finishedAt === null ? `Since ${from}` : `${from} to ${new Date(finishedAt).toLocaleString()}`}>
      {duration(length)}
    </span>
  );
}
