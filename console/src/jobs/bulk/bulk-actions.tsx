import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { compareAddress } from '../queries/compare-address.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { BULK_ACTIONS, type BulkAction } from './bulk-effect.ts';

const BulkDialog = lazyPart(() => import('./bulk-dialog.tsx'), 'BulkDialog');
const TEXTS: Readonly<Record<BulkAction, string>> = { cancel: 'Cancel jobs', retry: 'Retry jobs', kill: 'Kill jobs' };

/** The actions on the selected jobs. Each runs only after its preview is confirmed. */
export function BulkActions({ selected, onDone }: { selected: readonly JobSummary[]; onDone: () => void }) {
  const [asking, setAsking] = useState<{ action: BulkAction; jobs: readonly JobSummary[] }>();
  const navigate = useNavigate();
  const [first, second] = selected.toSorted((one, other) => one.created_at.localeCompare(other.created_at));
  return (
    <SpaceBetween size="xs" direction="horizontal">
      {BULK_ACTIONS.map((action) => (
        <Button
          key={action}
          disabled={selected.length === 0}
          disabledReason="Select jobs first."
          onClick={() => setAsking({ action, jobs: selected })}
        >
          {TEXTS[action]}
        </Button>
      ))}
      {first && second && selected.length === 2 && (
        <Button onClick={() => void navigate(compareAddress({ id: first.id }, { id: second.id }))}>Compare</Button>
      )}
      {asking && (
        <Part>
          <BulkDialog
            action={asking.action}
            jobs={asking.jobs}
            onClose={(acted) => {
              setAsking(undefined);
              if (acted) onDone();
            }}
          />
        </Part>
      )}
    </SpaceBetween>
  );
}
