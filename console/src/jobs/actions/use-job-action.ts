import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { JobAction, RetryFrom } from '../../../../lib/contract/job-actions.ts';
import { api, dataOf } from '../../api/client.ts';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';

/** An action without parameters. */
export type PlainAction = Exclude<JobAction, 'edit'>;

/** Requests an action on a job. @throws ApiError */
export async function actOn(action: PlainAction, id: string, from?: RetryFrom): Promise<void> {
  const params = { params: { path: { id } } };
  switch (action) {
    case 'submit':
      await dataOf(api.POST('/api/v1/jobs/{id}/submit', params));
      break;
    case 'cancel':
      await dataOf(api.POST('/api/v1/jobs/{id}/cancel', params));
      break;
    case 'kill':
      await dataOf(api.POST('/api/v1/jobs/{id}/kill', params));
      break;
    case 'retry':
      await dataOf(api.POST('/api/v1/jobs/{id}/retry', { ...params, body: from === undefined ? {} : { from } }));
      break;
  }
}

const DONE: Readonly<Record<PlainAction, string>> = {
  submit: 'queued',
  cancel: 'cancelled',
  kill: 'killed',
  retry: 'retried',
};

/** An action on one job. If it fails, shows what is known, and reads the job again. */
export function useJobAction(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ action, from }: { readonly action: PlainAction; readonly from?: RetryFrom }) =>
      await actOn(action, id, from),
    onError: (error, { action }) =>
      notify(
        writeFailure(error, {
          rejected: `Could not ${action} the job`,
          done: `the job was ${DONE[action]}`,
          next: 'This page reads the job again. Check its state before you repeat the action.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries(),
  });
}
