import type { ReactNode } from 'react';

interface FoldProps {
  readonly summary: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/**
 * A line that opens what belongs to it. The list keeps which are open, since rows out of sight are removed. Rows are
 * plain elements: Cloudscape's own take several times as long, which shows when thousands are scrolled.
 */
export function Fold({ summary, isOpen, onToggle, children }: FoldProps) {
  return (
    <>
      <button type="button" className="event-fold" aria-expanded={isOpen} onClick={onToggle}>
        {summary}
      </button>
      {isOpen && <div className="event-folded">{children}</div>}
    </>
  );
}
