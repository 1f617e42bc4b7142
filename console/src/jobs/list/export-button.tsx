import Button from '@cloudscape-design/components/button';
import { useLocation, useNavigate } from 'react-router';
import { useMayAdminister } from '../../api/session.ts';

/** Opens the form of a new export with the filters of the list. */
export function ExportButton() {
  const navigate = useNavigate();
  const { search } = useLocation();
  if (!useMayAdminister()) return null;
  const open = () => {
    const parameters = new URLSearchParams(search);
    parameters.set('new', 'jobs');
    void navigate(`/exports?${parameters}`);
  };
  return <Button iconName="download" variant="icon" ariaLabel="Export these jobs" onClick={open} />;
}
