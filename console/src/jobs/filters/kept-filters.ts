import { type JobFilters, readFilters } from '../queries/job-filters.ts';

const KEY = 'promptq.saved-filters';

/** The saved filters of this browser by name. */
export type KeptFilters = Readonly<Record<string, JobFilters>>;

/** The saved filters; empty if storage is unavailable or unreadable. */
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

/** @returns false if the browser does not allow storage */
export function keepFilters(kept: KeptFilters): boolean {
  const queries = Object.entries(kept).map(([name, filters]) => [name, new URLSearchParams({ ...filters }).toString()]);
  try {
    window.localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(queries)));
    return true;
  } catch {
    return false;
  }
}
