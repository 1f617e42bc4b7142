import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';

/** How long (ms) typing must pause before jobs are searched. */
const PAUSE_MS = 250;
/** A shorter text would match nearly every job. */
const MIN_LENGTH = 2;
const MAX_RESULTS = 8;
const NO_JOBS: readonly Schemas['JobSummary'][] = [];

/** Jobs whose id, title, prompt, project or folder contains the text, newest first, as the API searches them. */
export function useJobSearch(typed: string) {
  const text = typed.trim().slice(0, LIMITS.searchLength);
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isWanted = text.length >= MIN_LENGTH;
  const search = useQuery({
    queryKey: ['jobs', 'palette', settled],
    queryFn: async ({ signal }) =>
      await dataOf(api.GET('/api/v1/jobs', { params: { query: { search: settled, limit: MAX_RESULTS } }, signal })),
    enabled: isWanted && settled.length >= MIN_LENGTH,
    retry: false,
  });
  return {
    // Never the results of an earlier query: Enter would open one of them.
    jobs: isWanted && text === settled ? (search.data?.items ?? NO_JOBS) : NO_JOBS,
    isSearching: isWanted && (text !== settled || search.isFetching),
    /** Whether older jobs were left out, since one request reads a limited number. */
    isPartial: isWanted && search.data?.total_complete === false,
    error: isWanted ? search.error : null,
  };
}
