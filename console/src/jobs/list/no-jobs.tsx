import Button from '@cloudscape-design/components/button';
import { EmptyList } from '../../layout/empty-list.tsx';
import { lazyPart } from '../../layout/lazy-part.ts';
import { Part } from '../../layout/part.tsx';

const FirstJobs = lazyPart(() => import('../first/first-jobs.tsx'), 'FirstJobs');

/** Says why the list is empty and what to do about it. */
export function NoJobs({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered)
    return (
      <Part>
        <FirstJobs />
      </Part>
    );
  return (
    <EmptyList title="No job matches" action={<Button onClick={onClear}>Clear all filters</Button>}>
      Every filter narrows the list. Clear one of them to see more.
    </EmptyList>
  );
}
