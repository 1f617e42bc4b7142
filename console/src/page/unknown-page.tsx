import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useNavigate } from 'react-router';

/** Shown for an address without a page. */
export function UnknownPage() {
  const navigate = useNavigate();
  return (
    <Box textAlign="center" padding="xxl">
      <Box variant="h1">Page not found</Box>
      <Box padding="m" color="text-body-secondary">
        {window.location.pathname} does not exist. The link may be outdated or mistyped.
      </Box>
      <Button variant="primary" onClick={() => void navigate('/jobs')}>
        Go to jobs
      </Button>
    </Box>
  );
}
