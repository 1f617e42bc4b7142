import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import type { Schemas } from '../api/client.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { JobStatus } from '../jobs/status/job-status.tsx';
import type { Action, Automation } from './automation-queries.ts';

const STATES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  active: ['success', 'Active'],
  paused: ['warning', 'Paused'],
  disabled: ['stopped', 'Disabled'],
  ended: ['info', 'Ended'],
};

interface Actions {
  readonly mayAct: boolean;
  /** The one that is acted on. */
  readonly busy: string | undefined;
  readonly onAct: (automation: Automation, action: Action) => void;
  readonly onOpen: (automation: Automation) => void;
}

export function automationColumns({ onOpen, ...actions }: Actions): readonly TableProps.ColumnDefinition<Automation>[] {
  return [
    {
      id: 'name',
      header: 'Automation',
      isRowHeader: true,
      cell: (one) => (
        <Link
          href={`/automations?open=${one.id}`}
          onFollow={(event) => {
            event.preventDefault();
            onOpen(one);
          }}
        >
          {one.name}
        </Link>
      ),
    },
    { id: 'state', header: 'State', minWidth: 140, cell: (one) => <State automation={one} /> },
    { id: 'schedule', header: 'Schedule', cell: scheduleText },
    {
      id: 'next',
      header: 'Next',
      cell: ({ next_runs: [next] }) => (next === undefined ? '-' : <TimeAgo at={next.starts_at} />),
    },
    {
      id: 'last',
      header: 'Last run',
      minWidth: 140,
      cell: ({ last_run: last }) => (last === null ? '-' : <RunStatus run={last} />),
    },
    { id: 'failures', header: 'Failures in a row', cell: ({ failures_in_row }) => failures_in_row },
    {
      id: 'actions',
      header: 'Actions',
      minWidth: 320,
      cell: (one) => <AutomationActions automation={one} {...actions} />,
    },
  ];
}

function scheduleText({ trigger }: Automation): string {
  const { cron, every, timezone } = trigger.schedule;
  return every === null ? `${cron ?? ''} ${timezone}` : `every ${every}`;
}

function State({ automation: { state, state_reason: why } }: { automation: Automation }) {
  const [type, text] = STATES[state] ?? ['info', state];
  return <StatusIndicator type={type}>{why === null ? text : `${text}: ${why}`}</StatusIndicator>;
}

/** What became of a run, or of its job. */
export function RunStatus({ run }: { run: Schemas['AutomationRun'] }) {
  if (run.outcome === 'skipped') return <StatusIndicator type="stopped">Skipped</StatusIndicator>;
  if (run.outcome === 'failed') return <StatusIndicator type="error">Not created</StatusIndicator>;
  if (run.job_status === null) return <StatusIndicator type="info">Job removed</StatusIndicator>;
  return <JobStatus status={run.job_status} />;
}

function AutomationActions({ automation, mayAct, busy, onAct }: { automation: Automation } & Omit<Actions, 'onOpen'>) {
  if (!mayAct) return null;
  const { id, name, state } = automation;
  const toggle = state === 'active' || state === 'ended' ? 'disable' : 'enable';
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button loading={busy === id} ariaLabel={`Run now: ${name}`} onClick={() => onAct(automation, 'run')}>
        Run now
      </Button>
      <Button
        ariaLabel={`${toggle === 'enable' ? 'Enable' : 'Disable'} ${name}`}
        onClick={() => onAct(automation, toggle)}
      >
        {toggle === 'enable' ? 'Enable' : 'Disable'}
      </Button>
      <Button ariaLabel={`Delete ${name}`} onClick={() => onAct(automation, 'delete')}>
        Delete
      </Button>
    </SpaceBetween>
  );
}
