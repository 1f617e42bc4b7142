import type { MessageView } from '../../contract/schemas/jobs/message.ts';
import type { MessageRow } from '../store/job-messages.ts';

/** A message as the API returns it. */
export function viewMessage({ id, text, state, created_at, created_by, attempt, ...row }: MessageRow): MessageView {
  const isDelivered = state === 'delivered';
  return {
    id,
    text,
    status: state === 'sent' ? 'pending' : state,
    created_at,
    created_by,
    delivered_at: row.delivered_at ?? null,
    attempt: isDelivered ? (attempt ?? null) : null,
    reason: row.reason ?? null,
    next_job_id: row.next_job_id ?? null,
  };
}
