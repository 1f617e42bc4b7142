import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Paging } from './use-paging.ts';

/** Leads to older and newer jobs. */
export function PageButtons({ paging, nextCursor }: { paging: Paging; nextCursor: string | null | undefined }) {
  if (paging.cursor === undefined && !nextCursor) return null;
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button iconName="angle-left" disabled={paging.cursor === undefined} onClick={paging.newer}>
        Newer
      </Button>
      <Button
        iconName="angle-right"
        iconAlign="right"
        disabled={!nextCursor}
        onClick={() => nextCursor && paging.older(nextCursor)}
      >
        Older
      </Button>
    </SpaceBetween>
  );
}
