import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from 'react-router';
import { useMayAdminister } from '../../api/session.ts';

/** Buttons of a list that admins can import, export and add to. */
export function ConfiguredActions({ create, path }: { create: string; path: string }) {
  const navigate = useNavigate();
  if (!useMayAdminister()) return null;
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button onClick={() => void navigate('/configuration')}>Import or export</Button>
      <Button variant="primary" onClick={() => void navigate(path)}>
        {create}
      </Button>
    </SpaceBetween>
  );
}
