import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { ApiFault } from '../api/api-fault.ts';

/** A failure of a page or a part of it: what went wrong, where to look, and a way to try again where that may help. */
export function PageFault({ error, retry, what }: { error: Error; retry?: () => void; what: string }) {
  const missing = error instanceof ApiFault && error.status === 404;
  return (
    <Alert
      type={missing ? 'warning' : 'error'}
      header={missing ? `${what} is not there` : `${what} could not be loaded`}
      action={!missing && retry && <Button onClick={retry}>Try again</Button>}
    >
      {sentenceOf(error)}
      {error instanceof ApiFault && error.requestId !== undefined && !missing && (
        <Box variant="small" display="block">
          Request {error.requestId}
        </Box>
      )}
    </Alert>
  );
}

/** The service's own words, but for the fixed ones that are made for programs. */
function sentenceOf(error: Error): string {
  if (!(error instanceof ApiFault)) return `The service can't be reached: ${error.message}`;
  if (error.status === 404) return 'The link may be mistyped, or it was removed when it had been kept for long enough.';
  if (error.message === 'internal_error') return 'The service failed. Its log says why, under the request below.';
  return error.message;
}
