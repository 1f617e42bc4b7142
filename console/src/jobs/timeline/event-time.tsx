import { duration } from '../../format/duration.ts';
import type { TimelineItem } from './timeline-item.ts';

interface EventTimeProps {
  readonly item: TimelineItem;
  /** When the attempt started and ended, epoch milliseconds. */
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/**
 * When an event began: relative to the start of its attempt if that is known, otherwise the time of day. Empty if
 * unknown.
 */
export function EventTime({ item, startedAt, finishedAt }: EventTimeProps) {
  if (item.startedAt === undefined) return null;
  // The last output arrives a little after the attempt has ended.
  const at = finishedAt === undefined ? item.startedAt : Math.min(item.startedAt, finishedAt);
  const clock = new Date(at);
  return (
    <time dateTime={clock.toISOString()} title={clock.toLocaleString()}>
      {startedAt === undefined || at <= startedAt ? clock.toLocaleTimeString() : `+${duration(at - startedAt)}`}
    </time>
  );
}

/** Times of arrival are accurate to about two seconds, so shorter durations are not shown, unless the agent reports them. */
const MIN_DURATION_MS = { exact: 100, arrival: 2_000 } as const;

/** How long a call took, if its start and end are known. */
export function tookText({ startedAt, endedAt, isExact = false }: TimelineItem): string | undefined {
  if (startedAt === undefined || endedAt === undefined) return undefined;
  if (endedAt - startedAt < MIN_DURATION_MS[isExact ? 'exact' : 'arrival']) return undefined;
  if (isExact) return duration(endedAt - startedAt);
  return `about ${duration(Math.round((endedAt - startedAt) / 1000) * 1000)}`;
}
