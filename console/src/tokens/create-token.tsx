import { useState } from 'react';
import { SecretDialog } from '../feedback/secret-dialog.tsx';
import { NewTokenForm } from './new-token-form.tsx';
import type { CreatedToken } from './token-queries.ts';

/** Creates a token and shows it once. Closing the dialog discards it. */
export function CreateToken({ onDone }: { onDone: () => void }) {
  const [created, setCreated] = useState<CreatedToken>();
  if (created) return <ShownOnce token={created} onDone={onDone} />;
  return <NewTokenForm onCreated={setCreated} onDismiss={onDone} />;
}

/** Shows a new token once. */
function ShownOnce({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  return (
    <SecretDialog header={`Token “${token.name}”`} what="token" secret={token.token} onDone={onDone}>
      Send it as <code>Authorization: Bearer …</code>. {token.scopes_enforced ? 'Allowed' : 'Scopes'}:{' '}
      {token.scopes.join(', ')}. {token.scopes_note}
    </SecretDialog>
  );
}
