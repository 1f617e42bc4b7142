import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';

/** What an infinite query knows about its next page. */
export interface MorePages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly error: Error | null;
  fetchNextPage(): Promise<unknown>;
}

/** The button that loads the next page of a list, and why that failed. */
export function LoadMore({ list }: { readonly list: MorePages }) {
  if (!list.hasNextPage) return null;
  const failed = list.isFetchNextPageError && !list.isFetchingNextPage;
  return (
    <Box textAlign="center">
      {failed && (
        <div role="alert">
          <Box color="text-status-error">{`The next page could not be loaded. ${list.error?.message ?? ''}`}</Box>
        </div>
      )}
      <Button loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Show more
      </Button>
    </Box>
  );
}
