import Button from '@cloudscape-design/components/button';
import { useMutation } from '@tanstack/react-query';
import { notify } from '../../feedback/notices.tsx';
import type { JobFilters } from '../queries/job-filters.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { allMatching, SELECTION_LIMIT } from './all-matching.ts';

interface SelectAllProps {
  readonly filters: JobFilters;
  /** The number of matching jobs, more than the page shows. */
  readonly total: number;
  /** Whether `total` is exact. Otherwise it is a lower bound. */
  readonly isComplete: boolean;
  readonly onSelect: (jobs: readonly JobSummary[]) => void;
}

/** Selects all matching jobs on all pages, once the whole page is selected. */
export function SelectAll({ filters, total, isComplete, onSelect }: SelectAllProps) {
  const select = useMutation({
    mutationFn: async () => await allMatching(filters),
    onSuccess: onSelect,
    onError: ({ message }) => notify({ type: 'error', header: 'The jobs could not be selected', content: message }),
  });
  const count = Math.min(total, SELECTION_LIMIT).toLocaleString('en');
  const first = filters.order === 'oldest' ? 'oldest' : 'newest';
  const text = isComplete
    ? total > SELECTION_LIMIT
      ? `Select the ${first} ${count} jobs that match`
      : `Select all ${count} jobs that match`
    : `Select the ${first} jobs that match, up to ${SELECTION_LIMIT.toLocaleString('en')}`;
  return (
    <Button variant="inline-link" loading={select.isPending} onClick={() => select.mutate()}>
      {text}
    </Button>
  );
}
