import { SecretDialog } from '../feedback/secret-dialog.tsx';
import type { CreatedToken } from './token-queries.ts';

/** The one time that a token is shown. */
export function ShownOnce({ token, onDone }: { token: CreatedToken; onDone: () => void }) {
  return (
    <SecretDialog header={`Token “${token.name}”`} what="token" secret={token.token} onDone={onDone}>
      Send it as <code>Authorization: Bearer …</code>. {token.scopes_enforced ? 'It may' : 'Scopes'}:{' '}
      {token.scopes.join(', ')}. {token.scopes_note}
    </SecretDialog>
  );
}
