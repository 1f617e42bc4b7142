import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { LogState } from './use-log.ts';

/** Says whether more of a log may come. */
export function LogStatus({ log, empty }: { log: LogState; empty: boolean }) {
  switch (log.state) {
    case 'connecting':
      return <StatusIndicator type="pending">Waiting for output</StatusIndicator>;
    case 'live':
      return <StatusIndicator type="in-progress">Live</StatusIndicator>;
    case 'ended':
      if (log.losses !== undefined && log.losses.length > 0)
        return <StatusIndicator type="error">{log.losses.join(' ')}</StatusIndicator>;
      return empty ? (
        <StatusIndicator type="info">Complete: nothing was written</StatusIndicator>
      ) : (
        <StatusIndicator type="success">Complete</StatusIndicator>
      );
    case 'trouble':
      return <StatusIndicator type="warning">{log.message}</StatusIndicator>;
  }
}
