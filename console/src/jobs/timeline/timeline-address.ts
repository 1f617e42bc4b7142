import { useCallback } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { Job } from '../queries/job-query.ts';

/** The attempt and the event in the address, as `?event=ATTEMPT:BYTE`. */
interface TimelineAddress {
  /** 0 before the first attempt. */
  readonly attempt: number;
  /** The ID of the linked event. */
  readonly linked: string | undefined;
  /** The query that links to an event. */
  searchOf(id: string): string;
  /** Puts an event into the address. */
  link(id: string): void;
  /** Undefined for the newest attempt, even if a newer one starts later. */
  chooseAttempt(attempt: number | undefined): void;
}

export function useTimelineAddress(job: Job): TimelineAddress {
  const [parameters, setParameters] = useSearchParams();
  const navigate = useNavigate();
  const [, linkedAttempt, linked] = /^(\d+):([\w.]+)$/.exec(parameters.get('event') ?? '') ?? [];
  const named = Number(linkedAttempt ?? parameters.get('attempt'));
  const attempt = Number.isInteger(named) && named > 0 && named <= job.attempt ? named : job.attempt;
  const searchOf = useCallback(
    (id: string) => `?${new URLSearchParams({ tab: 'timeline', event: `${attempt}:${id}` })}`,
    [attempt],
  );
  const link = useCallback(
    (id: string) => void navigate({ search: searchOf(id) }, { replace: true, preventScrollReset: true }),
    [navigate, searchOf],
  );
  const chooseAttempt = (chosen: number | undefined) =>
    setParameters({ tab: 'timeline', ...(chosen !== undefined && { attempt: String(chosen) }) }, { replace: true });
  return { attempt, linked, searchOf, link, chooseAttempt };
}
