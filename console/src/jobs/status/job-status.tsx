import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Schemas } from '../../api/client.ts';

type Status = Schemas['JobSummary']['status'];

interface Look {
  readonly type: StatusIndicatorProps.Type;
  readonly text: string;
}

const LOOKS: Readonly<Record<Status, Look>> = {
  DRAFT: { type: 'not-started', text: 'Draft' },
  QUEUED: { type: 'pending', text: 'Queued' },
  RUNNING: { type: 'in-progress', text: 'Running' },
  SUCCEEDED: { type: 'success', text: 'Succeeded' },
  FAILED: { type: 'error', text: 'Failed' },
  CANCELLED: { type: 'stopped', text: 'Cancelled' },
};

/** A state that a later version of the service has set, and that the console doesn't know, is shown by its code. */
function lookOf(status: string): Look {
  const known = new Map<string, Look>(Object.entries(LOOKS));
  return known.get(status) ?? { type: 'info', text: status };
}

/** The display name of a state. */
export function statusText(status: Status): string {
  return lookOf(status).text;
}

/** The state of a job with its icon. */
export function JobStatus({ status, cancelling = false }: { status: Status; cancelling?: boolean }) {
  if (cancelling && status === 'RUNNING') return <StatusIndicator type="warning">Cancelling</StatusIndicator>;
  const { type, text } = lookOf(status);
  return (
    <StatusIndicator type={type} {...(status === 'RUNNING' && { colorOverride: 'blue' as const })}>
      {text}
    </StatusIndicator>
  );
}
