import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';

/** Confirms the rebuild of a job's record, runs it, and reports the corrections. */
export function RebuildRecord({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const client = useQueryClient();
  const rebuild = useMutation({
    mutationFn: async () => await dataOf(api.POST('/api/v1/jobs/{id}/reread-logs', { params: { path: { id } } })),
    onSuccess: ({ refreshed, recovered_follow_up_ids: recovered }) => {
      const followUps = recovered.map((job) => `follow-up job ${job}`);
      const corrected = [...refreshed, ...followUps];
      notify(
        corrected.length === 0
          ? { type: 'success', header: 'The record is correct', content: 'It matches the stored output.' }
          : { type: 'success', header: 'The record was corrected', content: `Corrected: ${corrected.join(', ')}.` },
      );
    },
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'The record could not be rebuilt',
          done: 'the record was rebuilt',
          next: 'Another rebuild has the same result.',
        }),
      ),
    onSettled: async () => {
      onDismiss();
      await client.invalidateQueries();
    },
  });
  return (
    <ConfirmDialog
      action="Rebuild record"
      busy={rebuild.isPending}
      onConfirm={() => rebuild.mutate()}
      onDismiss={onDismiss}
    >
      A rebuild reads the stored output of every attempt again. It corrects sizes, usage, session and final messages in
      the job&apos;s record, and creates missing follow-up jobs. It skips a running attempt.
    </ConfirmDialog>
  );
}
