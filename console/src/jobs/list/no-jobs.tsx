import Button from '@cloudscape-design/components/button';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';

const FirstJobs = lazyPart(() => import('../first/first-jobs.tsx'), 'FirstJobs');

/** The empty state of the list. */
export function NoJobs({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered)
    return (
      <Part>
        <FirstJobs />
      </Part>
    );
  return (
    <EmptyList title="No matching jobs" action={<Button onClick={onClear}>Clear all filters</Button>}>
      Clear filters to see more jobs.
    </EmptyList>
  );
}
