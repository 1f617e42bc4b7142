import { useMemo, useState } from 'react';
import type { JobSummary } from '../queries/jobs-query.ts';

/** The chosen jobs, as they were last read; also those that another page or filter shows. */
interface Selection {
  readonly jobs: readonly JobSummary[];
  readonly choose: (jobs: readonly JobSummary[]) => void;
  /** Takes these in place of what was chosen before, also those that the page does not show. */
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
    // The table names only what it shows.
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
