import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** The pages of a cursor-based list. */
export interface Paging {
  /** The cursor of the current page; undefined for the first. */
  readonly cursor: string | undefined;
  readonly next: (nextCursor: string) => void;
  /** Opens the previous page, or the first if the previous one is unknown. */
  readonly previous: () => void;
}

/** Keeps the page in the address and the previous ones in the history entry. Both survive a reload. */
export function usePaging(): Paging {
  const navigate = useNavigate();
  const { search, state } = useLocation();
  const cursor = new URLSearchParams(search).get('cursor') ?? undefined;
  const before = cursorsIn(state);
  const go = useCallback(
    (to: string | undefined, pagesBefore: readonly string[]) => {
      const parameters = new URLSearchParams(search);
      if (to) parameters.set('cursor', to);
      else parameters.delete('cursor');
      void navigate({ search: parameters.toString() }, { state: { cursors: pagesBefore } });
    },
    [navigate, search],
  );
  return {
    cursor,
    next: (nextCursor) => go(nextCursor, [...before, cursor ?? '']),
    previous: () => go(before.at(-1), before.slice(0, -1)),
  };
}

/** The cursors of the previous pages, the first as an empty text. */
function cursorsIn(state: unknown): readonly string[] {
  const kept: unknown = typeof state === 'object' && state !== null && 'cursors' in state ? state.cursors : [];
  return Array.isArray(kept) ? kept.filter((cursor) => typeof cursor === 'string') : [];
}
