import { SecretDialog } from '../feedback/secret-dialog.tsx';

/** The one time that the secret which calls are signed with is shown. */
export function BindingSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <SecretDialog header="Secret of the calls" what="secret" secret={secret} onDone={onDone}>
      The receiver checks the signatures of the calls with it.
    </SecretDialog>
  );
}
