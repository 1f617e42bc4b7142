import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { JobsWaitingFor } from '../jobs-waiting-for.tsx';

interface DeleteEntryProps {
  readonly what: 'rule' | 'profile';
  readonly name: string;
  readonly onDone: () => void;
}

/** Confirms the deletion of a rule or profile, and lists the jobs that would fail. */
export function DeleteEntry({ what, name, onDone }: DeleteEntryProps) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => {
      if (what === 'rule') await dataOf(api.DELETE('/api/v1/rules/{id}', { params: { path: { id: name } } }));
      else await dataOf(api.DELETE('/api/v1/profiles/{name}', { params: { path: { name } } }));
    },
    onSuccess: async () => {
      notify({ type: 'success', header: `The ${what} “${name}” was deleted` });
      onDone();
      await client.invalidateQueries();
    },
    onError: async () => await client.invalidateQueries(),
  });
  return (
    <ConfirmDialog
      action={`Delete ${what}`}
      busy={remove.isPending}
      onDismiss={onDone}
      onConfirm={() => remove.mutate()}
    >
      <SpaceBetween size="m">
        {remove.error && (
          <WriteFailure
            error={remove.error}
            rejected={`The ${what} was not deleted`}
            done={`the ${what} was deleted`}
            next="The list behind this dialog shows whether it still exists."
          />
        )}
        <Box>
          Jobs that use “{name}” and have not started will fail when they start. Running jobs are not affected.
          {what === 'profile' && ' If it replaces a built-in profile, the built-in one applies again.'}
        </Box>
        <JobsWaitingFor what={what} name={name} />
      </SpaceBetween>
    </ConfirmDialog>
  );
}
