import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../browser/use-shortcuts.ts';
import { filtersOf } from '../events/event-filter.ts';
import { useFollowEnd } from './follow-end.ts';
import { itemAt, type TimelineItem } from './timeline-item.ts';

export interface ShownTimeline {
  readonly items: readonly TimelineItem[];
  /** The ID of the linked event. */
  readonly linked: string | undefined;
  /** Whether all events up to the linked one are loaded. */
  readonly isLinkedRead: boolean;
  /** Puts an event into the address. */
  readonly onLink: (id: string) => void;
  readonly isFollowing: boolean;
  readonly onLeftEnd: () => void;
}

/** Pixels at the window's top that the bars cover. */
const COVERED = 110;

/**
 * The rows of a timeline near the window, which of them is current, and which were opened or closed. It scrolls to the
 * linked event, and by the keys j, k, e and o.
 */
export function useTimelineRows({ items, linked, isLinkedRead, onLink, isFollowing, onLeftEnd }: ShownTimeline) {
  const list = useRef<HTMLOListElement>(null);
  const top = useTopOf(list);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState(linked);
  const toFocus = useRef<string>(undefined);
  const toShow = useRef(linked);
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => 44,
    overscan: 8,
    scrollMargin: top,
    scrollPaddingStart: COVERED,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  const rows = virtualizer.getVirtualItems();

  useFollowEnd(isFollowing, items, virtualizer.getTotalSize(), onLeftEnd);

  useEffect(() => {
    if (toShow.current === undefined || !isLinkedRead) return;
    const index = itemAt(items, toShow.current);
    const item = items[index];
    if (item === undefined) return;
    toShow.current = undefined;
    setCurrent(item.id);
    virtualizer.scrollToIndex(index, { align: 'center' });
  }, [items, isLinkedRead, virtualizer]);

  // A row that was scrolled to is rendered later.
  useEffect(() => {
    if (toFocus.current === undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-event="${toFocus.current}"]`);
    if (!row) return;
    toFocus.current = undefined;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number) => {
    const item = items[index];
    if (item === undefined) return;
    setCurrent(item.id);
    toFocus.current = item.id;
    virtualizer.scrollToIndex(index, { align: 'auto' });
    onLeftEnd();
  };
  const indexNow = () => {
    const at = items.findIndex(({ id }) => id === current);
    if (at >= 0) return at;
    return (rows.find(({ end }) => end > window.scrollY + COVERED)?.index ?? 0) - 1;
  };
  const toggle = useCallback(
    (id: string) =>
      setToggled((before) =>
        before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id]),
      ),
    [],
  );
  const choose = useCallback(
    (id: string) => {
      setCurrent(id);
      onLink(id);
    },
    [onLink],
  );
  useShortcuts({
    j: () => goTo(indexNow() + 1),
    k: () => goTo(Math.max(0, indexNow() - 1)),
    e: () => {
      const after = indexNow();
      goTo(items.findIndex(({ event }, at) => at > after && isError(event)));
    },
    o: () => current !== undefined && toggle(current),
  });

  return { list, top, rows, virtualizer, current, toggled, toggle, choose };
}

/** Pixels between the page's top and the list. */
function useTopOf(list: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    // Content above the list, such as a notice, can appear and disappear.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}

function isError(event: TimelineItem['event']): boolean {
  if (event.kind === 'prompt' || event.kind === 'question') return false;
  return event.kind === 'outcome' ? !event.succeeded : filtersOf(event).includes('errors');
}
