import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { Schemas } from '../api/client.ts';

type Status = Schemas['JobSummary']['status'];

const LOOKS: Readonly<Record<Status, { type: StatusIndicatorProps.Type; text: string }>> = {
  DRAFT: { type: 'not-started', text: 'Draft' },
  QUEUED: { type: 'pending', text: 'Queued' },
  RUNNING: { type: 'in-progress', text: 'Running' },
  SUCCEEDED: { type: 'success', text: 'Succeeded' },
  FAILED: { type: 'error', text: 'Failed' },
  CANCELLED: { type: 'stopped', text: 'Cancelled' },
};

/** The name of a state as people read it. */
export function statusText(status: Status): string {
  return LOOKS[status].text;
}

/** A job's state with its sign. */
export function JobStatus({ status, cancelling = false }: { status: Status; cancelling?: boolean }) {
  if (cancelling && status === 'RUNNING') return <StatusIndicator type="warning">Cancelling</StatusIndicator>;
  return <StatusIndicator type={LOOKS[status].type}>{LOOKS[status].text}</StatusIndicator>;
}
