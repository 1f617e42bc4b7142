import { useState } from 'react';
import { NewTokenForm } from './new-token-form.tsx';
import { ShownOnce } from './shown-once.tsx';
import type { CreatedToken } from './token-queries.ts';

/** Makes a token, and shows it this once: closing the dialog forgets it. */
export function CreateToken({ onDone }: { onDone: () => void }) {
  const [created, setCreated] = useState<CreatedToken>();
  if (created) return <ShownOnce token={created} onDone={onDone} />;
  return <NewTokenForm onCreated={setCreated} onDismiss={onDone} />;
}
