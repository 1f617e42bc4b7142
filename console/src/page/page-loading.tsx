import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';

/** Shown while a page or part loads. */
export function PageLoading({ what = 'the page' }: { what?: string }) {
  return (
    <Box textAlign="center" padding="xxl" color="text-body-secondary">
      <span role="status">
        <Spinner size="normal" /> Loading {what}
      </span>
    </Box>
  );
}
