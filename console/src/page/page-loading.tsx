import Box from '@cloudscape-design/components/box';
import Spinner from '@cloudscape-design/components/spinner';

/** Stands for a page, or a part of one, that is on its way. */
export function PageLoading({ what = 'the page' }: { what?: string }) {
  return (
    <Box textAlign="center" padding="xxl" color="text-body-secondary">
      <span role="status">
        <Spinner size="normal" /> Loading {what}
      </span>
    </Box>
  );
}
