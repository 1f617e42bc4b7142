import { type JobFilters, readFilters } from '../queries/job-filters.ts';

const KEY = 'promptq.saved-filters';

/** Filters by the names they were kept under on this browser. */
export type KeptFilters = Readonly<Record<string, JobFilters>>;

/** What was kept; nothing where the browser keeps nothing or what it kept can't be read. */
export function keptFilters(): KeptFilters {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).map(([name, query]) => [name, readFilters(new URLSearchParams(String(query)))]),
    );
  } catch {
    return {};
  }
}

/** @returns false if the browser lets nothing be kept */
export function keepFilters(kept: KeptFilters): boolean {
  const queries = Object.entries(kept).map(([name, filters]) => [name, new URLSearchParams({ ...filters }).toString()]);
  try {
    window.localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(queries)));
    return true;
  } catch {
    return false;
  }
}
