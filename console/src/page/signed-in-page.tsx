import Box from '@cloudscape-design/components/box';
import { Link } from 'react-router';
import { usePageTitle } from './page-title.ts';

/** The end of a sign-in that another tab requested. */
export function SignedInPage() {
  usePageTitle('Signed in');
  return (
    <Box textAlign="center" padding="xxl">
      <Box variant="h1">You are signed in again</Box>
      <Box padding="m" color="text-body-secondary">
        Close this tab and continue in the other one, or <Link to="/jobs">view the jobs here</Link>.
      </Box>
    </Box>
  );
}
