import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { STATUSES } from '../../../../lib/contract/statuses.ts';

/** What the list of jobs is narrowed to; lives in the page's address, so that it can be sent and kept. */
export interface JobFilters {
  readonly status?: (typeof STATUSES)[number];
  readonly search?: string;
  readonly project?: string;
  readonly cwd?: string;
}

/** Sets the filters that are named, an empty one to none; leaves the others. */
export type ChangeFilters = (changes: Partial<Record<keyof JobFilters, string>>) => void;

/** The filters of the address, and how to change some of them. Whoever changes them begins at the first page. */
export function useJobFilters(): [JobFilters, ChangeFilters] {
  const [parameters, setParameters] = useSearchParams();
  const filters = useMemo(() => readFilters(parameters), [parameters]);
  const change = useCallback<ChangeFilters>(
    (changes) =>
      setParameters((before) => {
        const after = new URLSearchParams(before);
        after.delete('cursor');
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') after.delete(name);
          else after.set(name, value);
        }
        return after;
      }),
    [setParameters],
  );
  return [filters, change];
}

/** The filters in an address's query. What is none is left out. */
export function readFilters(parameters: URLSearchParams): JobFilters {
  const text = (name: string) => parameters.get(name)?.trim() || undefined;
  const status = STATUSES.find((known) => known === parameters.get('status'));
  const [search, project, cwd] = [text('search'), text('project'), text('cwd')];
  return {
    ...(status && { status }),
    ...(search && { search }),
    ...(project && { project }),
    ...(cwd && { cwd }),
  };
}
