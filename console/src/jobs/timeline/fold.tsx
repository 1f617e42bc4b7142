import type { ReactNode } from 'react';

interface FoldProps {
  readonly summary: ReactNode;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

/**
 * A line that expands its content. The list stores which lines are expanded, since rows out of view are removed. Rows
 * are plain elements: Cloudscape's take several times as long, which shows when thousands are scrolled.
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
