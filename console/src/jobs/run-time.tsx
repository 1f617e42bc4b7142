import type { Status } from '../../../lib/contract/statuses.ts';
import { duration, useNow } from '../layout/time-ago.tsx';

interface RunTimeProps {
  readonly status: Status;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

/** How long the newest attempt took, or has taken so far. Nothing runs while a job waits for another one. */
export function RunTime({ status, startedAt, finishedAt }: RunTimeProps) {
  const now = useNow();
  if (startedAt === null || (finishedAt === null && status !== 'RUNNING')) return <>-</>;
  return <>{duration((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt))}</>;
}
