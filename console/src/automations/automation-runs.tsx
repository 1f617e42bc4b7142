import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQuery } from '@tanstack/react-query';
import { TimeAgo } from '../format/time-ago.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { RunStatus } from './automation-columns.tsx';
import { type Automation, runsQuery } from './automation-queries.ts';
import { NextRuns } from './next-runs.tsx';

/** The next instants of an automation, and what became of those before. */
export function AutomationRuns({ automation, onDone }: { automation: Automation; onDone: () => void }) {
  const runs = useQuery(runsQuery(automation.id));
  return (
    <Modal visible size="large" header={automation.name} closeAriaLabel="Close" onDismiss={onDone}>
      <SpaceBetween size="m">
        {automation.next_runs.length > 0 && (
          <div>
            <Box variant="awsui-key-label">Next runs</Box>
            <NextRuns automation={automation} />
          </div>
        )}
        {runs.error && <StatusIndicator type="error">{runs.error.message}</StatusIndicator>}
        <ListTable
          variant="embedded"
          wrapLines
          ariaLabels={{ tableLabel: 'Runs' }}
          items={runs.data?.items ?? []}
          loading={runs.isPending}
          loadingText="Loading the runs"
          empty="No runs yet"
          columnDefinitions={[
            {
              id: 'due',
              header: 'Due',
              isRowHeader: true,
              cell: ({ due_at, count }) => (
                <>
                  <TimeAgo at={due_at} />
                  {count > 1 && ` and ${count - 1} more`}
                </>
              ),
            },
            { id: 'outcome', header: 'Outcome', cell: (run) => <RunStatus run={run} /> },
            {
              id: 'job',
              header: 'Job',
              cell: ({ job_id }) => (job_id === null ? '-' : <Link href={`/jobs/${job_id}`}>Open job</Link>),
            },
            {
              id: 'why',
              header: 'Details',
              cell: ({ reason, trigger, late_seconds }) =>
                reason?.message ?? (trigger === 'manual' ? 'Run by hand' : `${late_seconds} s after its time`),
            },
          ]}
        />
      </SpaceBetween>
    </Modal>
  );
}
