import Alert from '@cloudscape-design/components/alert';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

/** Warns if the deployment does not enforce scopes. */
export function ScopesNote({ text }: { text: string }) {
  const { data } = useQuery(sessionQuery);
  if (data?.scopes_enforced !== false) return null;
  return (
    <Alert type="warning" statusIconAriaLabel="Warning">
      {text}
    </Alert>
  );
}
