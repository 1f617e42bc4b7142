import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { ApiError } from '../api/api-error.ts';

/** An error of a page or part: its message, its request ID, and a retry button if a retry may help. */
export function PageError({ error, retry, what }: { error: Error; retry?: () => void; what: string }) {
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <Alert
      type={missing ? 'warning' : 'error'}
      header={missing ? `${what} was not found` : `${what} could not be loaded`}
      action={!missing && retry && <Button onClick={retry}>Try again</Button>}
    >
      {missing ? 'The link may be mistyped, or the item was deleted after its retention period.' : error.message}
      {error instanceof ApiError && error.requestId !== undefined && !missing && (
        <Box variant="small" display="block">
          Request {error.requestId}
        </Box>
      )}
    </Alert>
  );
}
