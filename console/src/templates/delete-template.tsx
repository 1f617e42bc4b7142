import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { notify } from '../feedback/notices.tsx';
import { WriteFailure } from '../feedback/write-failure.tsx';

/** Confirms the deletion of a template. */
export function DeleteTemplate({ name, onDone }: { name: string; onDone: (isDeleted: boolean) => void }) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: async () => await dataOf(api.DELETE('/api/v1/templates/{name}', { params: { path: { name } } })),
    onSuccess: async () => {
      notify({ type: 'success', header: `The template “${name}” was deleted` });
      onDone(true);
      await client.invalidateQueries();
    },
    onError: async () => await client.invalidateQueries(),
  });
  return (
    <ConfirmDialog
      action="Delete template"
      busy={remove.isPending}
      onDismiss={() => onDone(false)}
      onConfirm={() => remove.mutate()}
    >
      <SpaceBetween size="m">
        {remove.error && (
          <WriteFailure
            error={remove.error}
            rejected="The template was not deleted"
            done="the template was deleted"
            next="The list of templates shows whether it still exists."
          />
        )}
        <Box>
          No more jobs can be created from “{name}”. Jobs that were created from it are not affected, and its versions
          can still be read.
        </Box>
      </SpaceBetween>
    </ConfirmDialog>
  );
}
