import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../queries/job-query.ts';

/** The start of the output that an attempt writes while the page is open. */
export interface LiveEdge {
  /** Bytes of stdout before this one were written earlier, at unknown times. */
  readonly byte: number;
  /** The service's clock minus the browser's, milliseconds. */
  readonly skewMs: number;
}

/** Clock differences up to this value come from the rounding of the `Date` header. */
const MAX_ROUNDING_MS = 2_000;

/**
 * Agents write no times into their events, so the page records when each event arrives: only for a running attempt, and
 * only for output that is written while the page is open.
 * @returns undefined until it is known; null if the attempt has no live output
 */
export function useLiveEdge(job: Job, attempt: number): LiveEdge | null | undefined {
  const [opened] = useState({ attempt: job.attempt, status: job.status });
  const isLive = attempt === job.attempt && (attempt > opened.attempt || opened.status === 'RUNNING');
  const edge = useQuery({
    queryKey: ['live-edge', job.id, attempt],
    queryFn: async () => await readLiveEdge(job.id, attempt),
    enabled: isLive,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  return !isLive || edge.error ? null : edge.data;
}

/** Requests the size of stdout. An offset past its end returns no text. */
async function readLiveEdge(id: string, attempt: number): Promise<LiveEdge> {
  const query = new URLSearchParams({
    attempt: String(attempt),
    stream: 'stdout',
    offset: String(Number.MAX_SAFE_INTEGER),
  });
  const response = await fetch(`/api/v1/jobs/${encodeURIComponent(id)}/logs?${query}`, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`Could not read the size of the output: ${response.status}`);
  const { stdout_bytes: byte } = (await response.json()) as { stdout_bytes: number };
  const skewMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
  return { byte, skewMs: Math.abs(skewMs) > MAX_ROUNDING_MS ? skewMs : 0 };
}
