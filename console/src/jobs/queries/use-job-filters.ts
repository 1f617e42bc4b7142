import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';
import { type ChangeFilters, type JobFilters, readFilters, withFilters } from './job-filters.ts';

/** The filters in the address, and a function that changes some of them and opens the first page. */
export function useJobFilters(): [JobFilters, ChangeFilters] {
  const [parameters, setParameters] = useSearchParams();
  const filters = useMemo(() => readFilters(parameters), [parameters]);
  const change = useCallback<ChangeFilters>(
    // The parameters of the last render may lack a later change.
    (changes) => setParameters(withFilters(new URLSearchParams(window.location.search), changes)),
    [setParameters],
  );
  return [filters, change];
}
