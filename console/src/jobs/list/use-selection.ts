import { useMemo, useState } from 'react';
import type { JobSummary } from '../queries/jobs-query.ts';

/** The selected jobs as last read, including jobs of other pages and filters. */
interface Selection {
  readonly jobs: readonly JobSummary[];
  readonly choose: (jobs: readonly JobSummary[]) => void;
  /** Replaces the selection, also by jobs that the page does not show. */
  readonly replace: (jobs: readonly JobSummary[]) => void;
  readonly toggle: (job: JobSummary) => void;
  readonly clear: () => void;
}

export function useSelection(shown: readonly JobSummary[] | undefined): Selection {
  const [chosen, setChosen] = useState<readonly JobSummary[]>([]);
  const jobs = useMemo(() => {
    const present = new Map(shown?.map((job) => [job.id, job]));
    return chosen.map((job) => present.get(job.id) ?? job);
  }, [chosen, shown]);
  return {
    jobs,
    // The table reports only the jobs that it shows.
    choose: (next) => {
      const ids = new Set(shown?.map(({ id }) => id));
      setChosen([...jobs.filter(({ id }) => !ids.has(id)), ...next.filter(({ id }) => ids.has(id))]);
    },
    replace: setChosen,
    toggle: (job) =>
      setChosen(jobs.some(({ id }) => id === job.id) ? jobs.filter(({ id }) => id !== job.id) : [...jobs, job]),
    clear: () => setChosen([]),
  };
}
