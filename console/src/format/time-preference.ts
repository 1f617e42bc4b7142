import { useSyncExternalStore } from 'react';

const KEY = 'promptq.absolute-times';
const listeners = new Set<() => void>();

/** Whether this browser shows exact times instead of relative ones. */
export function useAbsoluteTimes(): boolean {
  return useSyncExternalStore(subscribe, () => window.localStorage.getItem(KEY) === 'on');
}

export function switchAbsoluteTimes(on: boolean): void {
  window.localStorage.setItem(KEY, on ? 'on' : 'off');
  for (const notice of listeners) notice();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A time of the API in this browser's time zone, such as `22 Nov, 14:05:31`. */
export function exactTime(at: string): string {
  const time = new Date(at);
  const isThisYear = time.getFullYear() === new Date().getFullYear();
  return time.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
}
