import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../queries/job-query.ts';

/** Where the output that an attempt writes while the page is open begins. */
export interface LiveEdge {
  /** Bytes of stdout before it were written earlier, at times that nobody knows. */
  readonly byte: number;
  /** The service's clock minus the browser's, milliseconds. */
  readonly skewMs: number;
}

/** Differences of the two clocks up to this one come from the rounding of the `Date` header. */
const MAX_ROUNDING_MS = 2_000;

/**
 * Agents write no times into their events, so the page notes when each one arrives, but only of a running attempt and
 * only of output that is written while the page is open.
 * @returns undefined while it is not known yet; null if nothing of the attempt is live
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

/** Asks for the size of stdout: an offset behind its end brings no text. */
async function readLiveEdge(id: string, attempt: number): Promise<LiveEdge> {
  const query = new URLSearchParams({
    attempt: String(attempt),
    stream: 'stdout',
    offset: String(Number.MAX_SAFE_INTEGER),
  });
  const response = await fetch(`/api/v1/jobs/${encodeURIComponent(id)}/logs?${query}`, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The size of the output could not be read: ${response.status}`);
  const { stdout_bytes: byte } = (await response.json()) as { stdout_bytes: number };
  const skewMs = Date.parse(response.headers.get('date') ?? '') - Date.now();
  return { byte, skewMs: Math.abs(skewMs) > MAX_ROUNDING_MS ? skewMs : 0 };
}
