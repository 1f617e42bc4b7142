import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { duration } from '../format/duration.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { JobStatus } from '../jobs/status/job-status.tsx';
import type { Automation, AutomationRun } from './automation-queries.ts';
import { STATES } from './automation-words.ts';

/** The state of an automation, and why it is in it. */
export function AutomationState({ automation: { state, state_reason: why } }: { automation: Automation }) {
  const [type, text] = STATES[state] ?? ['info', state];
  return (
    <>
      <StatusIndicator type={type}>{text}</StatusIndicator>
      {why !== null && (
        <Box variant="small" display="block">
          {why}
        </Box>
      )}
    </>
  );
}

/** What became of a run, or of its job. */
export function RunStatus({ run }: { run: AutomationRun }) {
  if (run.outcome === 'skipped') return <StatusIndicator type="stopped">Skipped</StatusIndicator>;
  if (run.outcome === 'failed') return <StatusIndicator type="error">Not created</StatusIndicator>;
  if (run.job_status === null) return <StatusIndicator type="info">Job removed</StatusIndicator>;
  return <JobStatus status={run.job_status} />;
}

/** The last run: its outcome, when it was, and how late. */
export function LastRun({ automation: { last_run: last } }: { automation: Automation }) {
  if (last === null) return '-';
  return (
    <>
      <RunStatus run={last} />
      <Box variant="small" display="block">
        <TimeAgo at={last.evaluated_at} />
        {last.trigger === 'schedule' && ', '}
        {last.trigger === 'schedule' && <Lateness seconds={last.late_seconds} />}
      </Box>
    </>
  );
}

/** How late a run was evaluated. One that was later than the service promises is a warning. */
export function Lateness({ seconds }: { seconds: number }) {
  if (seconds === 0) return 'on time';
  const text = `${seconds < 60 ? `${seconds} s` : duration(seconds * 1000)} late`;
  if (seconds <= LIMITS.automations.lateSeconds) return text;
  return <StatusIndicator type="warning">{text}</StatusIndicator>;
}

/** The failures in a row, with how many of them pause the automation. */
export function Failures({ automation }: { automation: Automation }) {
  const { failures_in_row: failures, pause_after_failures: most } = automation;
  if (failures === 0) return '0';
  return (
    <StatusIndicator type={failures >= most && most > 0 ? 'error' : 'warning'}>
      {most === 0 ? failures : `${failures} of ${most}`}
    </StatusIndicator>
  );
}
