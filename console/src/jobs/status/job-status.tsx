import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Schemas } from '../../api/client.ts';

type Status = Schemas['JobSummary']['status'];

interface Indicator {
  readonly type: StatusIndicatorProps.Type;
  readonly text: string;
}

const INDICATORS: Readonly<Record<Status, Indicator>> = {
  DRAFT: { type: 'not-started', text: 'Draft' },
  QUEUED: { type: 'pending', text: 'Queued' },
  RUNNING: { type: 'in-progress', text: 'Running' },
  SUCCEEDED: { type: 'success', text: 'Succeeded' },
  FAILED: { type: 'error', text: 'Failed' },
  CANCELLED: { type: 'stopped', text: 'Cancelled' },
};

/** A state that a later version of the service has set, and that the console doesn't know, is shown by its code. */
function indicatorOf(status: string): Indicator {
  const known = new Map<string, Indicator>(Object.entries(INDICATORS));
  return known.get(status) ?? { type: 'info', text: status };
}

/** The display name of a state. */
export function statusText(status: Status): string {
  return indicatorOf(status).text;
}

/** The state of a job with its icon. */
export function JobStatus({ status, cancelling = false }: { status: Status; cancelling?: boolean }) {
  if (cancelling && status === 'RUNNING') return <StatusIndicator type="warning">Cancelling</StatusIndicator>;
  const { type, text } = indicatorOf(status);
  return (
    <StatusIndicator type={type} {...(status === 'RUNNING' && { colorOverride: 'blue' as const })}>
      {text}
    </StatusIndicator>
  );
}
