import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { Job } from '../queries/job-query.ts';
import type { LogState } from './use-log.ts';

interface LogStatusProps {
  readonly job: Pick<Job, 'attempt' | 'status'>;
  /** The attempt whose log is shown. */
  readonly attempt: number;
  readonly log: LogState;
  readonly isEmpty: boolean;
}

/** Shows whether more output of an attempt may arrive. */
export function LogStatus({ job, attempt, log, isEmpty }: LogStatusProps) {
  if (attempt === 0) return <StatusIndicator type="pending">Not started</StatusIndicator>;
  const isNewest = attempt === job.attempt;
  switch (log.state) {
    case 'connecting':
      return <StatusIndicator type="pending">Waiting for output</StatusIndicator>;
    case 'live':
      return <StatusIndicator type="in-progress">Live</StatusIndicator>;
    case 'trouble':
      return <StatusIndicator type="warning">{log.message}</StatusIndicator>;
    case 'ended':
      if (log.losses !== undefined && log.losses.length > 0)
        return <StatusIndicator type="error">{log.losses.join(' ')}</StatusIndicator>;
      if (isNewest && job.status === 'QUEUED') return <StatusIndicator type="pending">Re-queued</StatusIndicator>;
      if (isEmpty) return <StatusIndicator type="info">Complete, no output</StatusIndicator>;
      // Green would suggest success.
      if (!isNewest || job.status !== 'SUCCEEDED') return <Box color="text-body-secondary">Complete</Box>;
      return <StatusIndicator type="success">Complete</StatusIndicator>;
  }
}
