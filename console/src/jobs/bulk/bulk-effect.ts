import { hasEffect } from '../../../../lib/contract/job-actions.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { statusText } from '../status/job-status.tsx';

/** The bulk actions. */
export const BULK_ACTIONS = ['cancel', 'retry', 'kill'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Why an action does not apply to a job; undefined if it applies. */
export function skipReason(action: BulkAction, { status }: Pick<JobSummary, 'status'>): string | undefined {
  if (hasEffect(action, status)) return undefined;
  const state = statusText(status).toLowerCase();
  switch (action) {
    case 'cancel':
      return `it has ended: ${state}`;
    case 'retry':
      return status === 'DRAFT' ? 'it is a draft: queue it instead' : `it is still ${state}`;
    case 'kill':
      return `it is not running: ${state}`;
  }
}
