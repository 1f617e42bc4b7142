import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Job } from '../queries/job-query.ts';
import { readLogs } from './read-logs.ts';

/** The first shown byte of each stream. */
export interface LogStart {
  readonly stdout: number;
  readonly stderr: number;
}

/**
 * The start of an attempt's log: its first byte, or `maxBytes` before the end of a longer stream.
 * @returns undefined until it is known
 */
export function useLogStart(job: Job, attempt: number, maxBytes: number): LogStart | undefined {
  // The log continues from its start, so the sizes of the first render count.
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

/** The sizes of an attempt that started while the page was open. */
const NOTHING_YET = { stdout_bytes: 0, stderr_bytes: 0 };
