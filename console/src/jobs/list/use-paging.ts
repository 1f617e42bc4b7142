import { useCallback } from 'react';
import { useLocation, useNavigate } from 'react-router';

/** Pages of a list that is read by cursors. */
export interface Paging {
  /** Of the page that is shown; undefined: the first. */
  readonly cursor: string | undefined;
  readonly next: (nextCursor: string) => void;
  /** Back by a page; to the first if it is not known which one was before. */
  readonly previous: () => void;
}

/** Keeps the page in the address, and the ones before it in the entry of the browser's history: both survive a reload. */
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

/** The pages before, the first as an empty text. */
function cursorsIn(state: unknown): readonly string[] {
  const kept: unknown = typeof state === 'object' && state !== null && 'cursors' in state ? state.cursors : [];
  return Array.isArray(kept) ? kept.filter((cursor) => typeof cursor === 'string') : [];
}
