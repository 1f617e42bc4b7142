import { useState } from 'react';
import { SecretDialog } from '../feedback/secret-dialog.tsx';
import { BindingForm } from './binding-form.tsx';
import type { Binding } from './binding-queries.ts';

/** Creates or edits a binding. A generated secret is shown once. */
export function BindingDialog({ binding, onDone }: { binding: Binding | undefined; onDone: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <BindingSecret secret={secret} onDone={onDone} />;
  return (
    <BindingForm
      binding={binding}
      onDismiss={onDone}
      onWritten={(written) => (written.secret === undefined ? onDone() : setSecret(written.secret))}
    />
  );
}

/** Shows the signing secret once. */
function BindingSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <SecretDialog header="Signing secret" what="secret" secret={secret} onDone={onDone}>
      The receiver uses it to verify the signatures of calls.
    </SecretDialog>
  );
}
