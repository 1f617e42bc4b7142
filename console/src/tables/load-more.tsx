import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';

interface LoadMoreProps {
  readonly hasMore: boolean;
  readonly busy: boolean;
  readonly onMore: () => void;
}

/** The button that loads the next page of a list. */
export function LoadMore({ hasMore, busy, onMore }: LoadMoreProps) {
  if (!hasMore) return null;
  return (
    <Box textAlign="center">
      <Button loading={busy} onClick={onMore}>
        Show more
      </Button>
    </Box>
  );
}
