import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Job } from '../queries/job-query.ts';
import { readLogs } from './read-logs.ts';

/** The byte of each stream at which a log is shown from. */
export interface LogStart {
  readonly stdout: number;
  readonly stderr: number;
}

/**
 * Where to begin with an attempt's log: at its first byte, or `maxBytes` before the end of a longer stream.
 * @returns undefined until it is known
 */
export function useLogStart(job: Job, attempt: number, maxBytes: number): LogStart | undefined {
  // The log goes on by itself from where it began, so the sizes of the first look count.
  const [newest] = useState({ attempt: job.attempt, stdout_bytes: job.stdout_bytes, stderr_bytes: job.stderr_bytes });
  const known = attempt === newest.attempt;
  const read = useQuery({
    queryKey: ['log-size', job.id, attempt],
    enabled: !known && attempt < job.attempt,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => await readLogs(job.id, { attempt, stream: 'all' }),
  });
  const sizes = known ? newest : attempt < job.attempt ? read.data : NOTHING_YET;
  const { stdout_bytes, stderr_bytes } = sizes ?? {};
  return useMemo(() => {
    if (stdout_bytes === undefined && stderr_bytes === undefined) return undefined;
    const start = (bytes = 0) => Math.max(0, bytes - maxBytes);
    return { stdout: start(stdout_bytes), stderr: start(stderr_bytes) };
  }, [stdout_bytes, stderr_bytes, maxBytes]);
}

/** An attempt that began while the page was open. */
const NOTHING_YET = { stdout_bytes: 0, stderr_bytes: 0 };
