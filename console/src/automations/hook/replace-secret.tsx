import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { SecretDialog } from '../../feedback/secret-dialog.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import { useReplaceSecret } from './hook-queries.ts';

/** Replaces the secret of a hook, and shows the new one once. */
export function ReplaceSecret({ id, onDone }: { id: string; onDone: () => void }) {
  const replace = useReplaceSecret(id);
  const [given, setGiven] = useState('');
  if (replace.data !== undefined)
    return (
      <SecretDialog header="The secret was replaced" what="secret" secret={replace.data} onDone={onDone}>
        Enter it at the sender.
      </SecretDialog>
    );
  const { min, max } = LIMITS.hooks.secretLength;
  return (
    <ConfirmDialog
      action="Replace secret"
      busy={replace.isPending}
      onDismiss={onDone}
      onConfirm={() => replace.mutate(given.trim())}
    >
      <SpaceBetween size="m">
        {replace.error && (
          <WriteFailure
            error={replace.error}
            rejected="The secret was not replaced"
            done="the secret was replaced"
            next="Replace it again to see a secret that works."
          />
        )}
        The old secret is invalid at once: deliveries with it are refused.
        <FormField
          label="Secret of the sender"
          description="Only if the sender makes it, as Slack does. Otherwise a new one is made."
          constraintText={`${min} to ${max} characters.`}
        >
          <Input
            type="password"
            autoComplete={false}
            value={given}
            placeholder="A new one"
            onChange={({ detail }) => setGiven(detail.value)}
          />
        </FormField>
      </SpaceBetween>
    </ConfirmDialog>
  );
}
