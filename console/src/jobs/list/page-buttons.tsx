import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { Paging } from './use-paging.ts';

interface PageButtonsProps {
  readonly paging: Paging;
  readonly nextCursor: string | null | undefined;
  readonly oldestFirst: boolean;
}

/** Buttons for older and newer jobs. */
export function PageButtons({ paging, nextCursor, oldestFirst }: PageButtonsProps) {
  if (paging.cursor === undefined && !nextCursor) return null;
  const [before, after] = oldestFirst ? ['Older', 'Newer'] : ['Newer', 'Older'];
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button iconName="angle-left" disabled={paging.cursor === undefined} onClick={paging.previous}>
        {before}
      </Button>
      <Button
        iconName="angle-right"
        iconAlign="right"
        disabled={!nextCursor}
        onClick={() => nextCursor && paging.next(nextCursor)}
      >
        {after}
      </Button>
    </SpaceBetween>
  );
}
