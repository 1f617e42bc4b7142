import { hasEffect } from '../../../../lib/contract/job-actions.ts';
import { statusText } from '../status/job-status.tsx';
import type { SelectedJob } from './read-again.ts';

/** The bulk actions. */
export const BULK_ACTIONS = ['cancel', 'retry', 'kill'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Why an action does not apply to a job; undefined if it applies. */
export function skipReason(action: BulkAction, { job, before, isDeleted }: SelectedJob): string | undefined {
  const { status } = job;
  if (isDeleted) return 'it was deleted';
  if (action === 'retry' && status === 'SUCCEEDED' && before !== undefined)
    return 'it has succeeded since it was selected';
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
