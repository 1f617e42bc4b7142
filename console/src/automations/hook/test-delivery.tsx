import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useState } from 'react';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { useDeliver } from './hook-queries.ts';

const SAMPLE = JSON.stringify({ action: 'opened', issue: { number: 7, title: 'It fails' } }, null, 2);

/** Sends a delivery as if it came from the sender, with the right signature. */
export function TestDelivery({ id, onDone }: { id: string; onDone: () => void }) {
  const deliver = useDeliver(id);
  const [body, setBody] = useState(SAMPLE);
  return (
    <ConfirmDialog
      action="Send test delivery"
      busy={deliver.isPending}
      onDismiss={onDone}
      onConfirm={() => deliver.mutate({ body }, { onSuccess: onDone })}
    >
      <SpaceBetween size="m">
        {deliver.error && (
          <WriteFailure
            error={deliver.error}
            rejected="The delivery was not sent"
            done="the delivery was sent"
            next="The list of deliveries shows it."
          />
        )}
        It is filtered as any other delivery, and can create a job.
        <FormField label="Body" stretch>
          <Textarea rows={8} spellcheck={false} value={body} onChange={({ detail }) => setBody(detail.value)} />
        </FormField>
      </SpaceBetween>
    </ConfirmDialog>
  );
}
