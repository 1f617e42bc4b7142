import { useSyncExternalStore } from 'react';
import { duration } from './duration.ts';
import { exactTime, useAbsoluteTimes } from './time-preference.ts';

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** One timer for all times on a page. */
let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const listener of listeners) listener();
  }, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The current time (ms), updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

interface TimeAgoProps {
  readonly at: string | null | undefined;
  /** How stale (ms) the time may be: a more recent one is shown as `in the last hour`. */
  readonly within?: number;
}

/** A time of the API, relative or exact as this browser prefers, with the exact time on hover. */
export function TimeAgo({ at, within = 0 }: TimeAgoProps) {
  const present = useNow();
  const isAbsolute = useAbsoluteTimes();
  if (at === null || at === undefined) return <>-</>;
  if (isAbsolute && within === 0)
    return (
      <time dateTime={at} title={new Date(at).toLocaleString()}>
        {exactTime(at)}
      </time>
    );
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {within > 0 && present - Date.parse(at) < within
        ? `in the last ${duration(within)
            .replace(/^1 h 0 min$/, 'hour')
            .replace(/ 0 s$/, '')}`
        : ago(Date.parse(at) - Math.max(present, Date.now()))}
    </time>
  );
}

function ago(difference: number): string {
  const [unit, size] = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? ['second', 1_000];
  return relative.format(Math.round(difference / size), unit);
}
