import { useState } from 'react';
import { BindingForm } from './binding-form.tsx';
import type { Binding } from './binding-queries.ts';
import { BindingSecret } from './binding-secret.tsx';

/** Creates or edits a binding; a secret that was made is shown this once. */
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
