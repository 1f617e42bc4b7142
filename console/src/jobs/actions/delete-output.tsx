import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';

/** Says what goes and what stays, and deletes what the attempts of an ended job wrote. */
export function DeleteOutput({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await dataOf(api.POST('/api/v1/jobs/{id}/delete-output', { params: { path: { id } } })),
    onSuccess: async ({ copies }) => {
      onDismiss();
      notify({
        type: copies.length === 0 ? 'success' : 'warning',
        header: 'The output was deleted',
        content:
          copies.length === 0
            ? 'The record of the job stays.'
            : `These jobs continue it or follow from it, and may repeat some of it: ${copies.join(', ')}`,
      });
      client.removeQueries({ predicate: ({ queryKey }) => queryKey.includes(id) && queryKey[0] !== 'job' });
      await client.invalidateQueries();
    },
    onError: (error) => {
      onDismiss();
      notify(
        writeFailure(error, {
          rejected: 'The output was not deleted',
          done: 'the output was deleted',
          next: 'The service completes a deletion that has begun.',
        }),
      );
    },
  });
  return (
    <ConfirmDialog
      action="Delete output"
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
      onDismiss={onDismiss}
    >
      <SpaceBetween size="s">
        <Box>
          <b>Deleted:</b> the log, session, final message, changes, attachments and kept files of all attempts, the
          agent&apos;s questions, errors and warnings, and the output of deploy commands. This can&apos;t be undone.
        </Box>
        <Box>
          <b>Stays:</b> the job with its prompt, messages, state, times and usage; the folder on the worker; what the
          agent pushed or sent elsewhere.
        </Box>
        <Box>The audit log keeps that you have deleted it.</Box>
      </SpaceBetween>
    </ConfirmDialog>
  );
}
