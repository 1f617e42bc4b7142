import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';

/** Shown for an address without a page. */
export function UnknownPage() {
  const navigate = useNavigate();
  return (
    <Box textAlign="center" padding="xxl">
      <Box variant="h1">There is no such page</Box>
      <Box padding="m" color="text-body-secondary">
        {window.location.pathname} leads nowhere. The link may be old or mistyped.
      </Box>
      <Button variant="primary" onClick={() => void navigate('/jobs')}>
        Go to the jobs
      </Button>
    </Box>
  );
}
