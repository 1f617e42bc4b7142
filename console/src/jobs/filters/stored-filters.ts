import { type JobFilters, readFilters } from '../queries/job-filters.ts';

const KEY = 'promptq.saved-filters';

/** The saved filters of this browser by name. */
export type StoredFilters = Readonly<Record<string, JobFilters>>;

/** The saved filters; empty if storage is unavailable or unreadable. */
export function storedFilters(): StoredFilters {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).map(([name, query]) => [name, readFilters(new URLSearchParams(String(query)))]),
    );
  } catch {
    return {};
  }
}

/** @returns false if the browser does not allow storage */
export function storeFilters(stored: StoredFilters): boolean {
  const queries = Object.entries(stored).map(([name, filters]) => [
    name,
    new URLSearchParams({ ...filters }).toString(),
  ]);
  try {
    window.localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(queries)));
    return true;
  } catch {
    return false;
  }
}
