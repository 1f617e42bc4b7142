import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, dataOf } from '../../api/client.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';

/** Confirms the removal of a job, removes it, and leaves its page. */
export function RemoveJob({ id, onDismiss }: { id: string; onDismiss: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: async () => await dataOf(api.DELETE('/api/v1/jobs/{id}/data', { params: { path: { id } } })),
    onSuccess: async () => {
      notify({
        type: 'success',
        header: 'The job was removed',
        content: `Nothing is kept of ${id} but the audit log.`,
      });
      await navigate('/jobs');
      client.removeQueries({ queryKey: ['job', id] });
      await client.invalidateQueries({ queryKey: ['jobs'] });
    },
    onError: (error) => {
      onDismiss();
      notify(
        writeFailure(error, {
          rejected: 'The job was not removed',
          done: 'the job was removed',
          next: 'Another removal completes it.',
        }),
      );
    },
  });
  return (
    <ConfirmDialog action="Remove job" busy={remove.isPending} onConfirm={() => remove.mutate()} onDismiss={onDismiss}>
      Its prompt, messages, output, sessions, attachments and folder are deleted. This can&apos;t be undone. The audit
      log keeps that you have removed it.
    </ConfirmDialog>
  );
}
