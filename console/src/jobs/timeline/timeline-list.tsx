import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useShortcuts } from '../../browser/use-shortcuts.ts';
import { filtersOf } from '../events/event-filter.ts';
import { useFollowEnd } from './follow-end.ts';
import { itemAt, type TimelineItem } from './timeline-item.ts';
import { TimelineRow } from './timeline-row.tsx';

interface TimelineListProps {
  readonly items: readonly TimelineItem[];
  /** The ID of the linked event. */
  readonly linked: string | undefined;
  /** Whether all events up to the linked one are loaded. */
  readonly isLinkedRead: boolean;
  readonly searchOf: (id: string) => string;
  /** Puts an event into the address. */
  readonly onLink: (id: string) => void;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly isFollowing: boolean;
  readonly onLeftEnd: () => void;
}

/** Pixels at the window's top that the bars cover. */
const COVERED = 110;

/** The rows of a timeline. Only those near the window are rendered, so that thousands scroll smoothly. */
export function TimelineList(props: TimelineListProps) {
  const { items, linked, isLinkedRead, searchOf, onLink, startedAt, finishedAt, isFollowing, onLeftEnd } = props;
  const list = useRef<HTMLOListElement>(null);
  const [top, setTop] = useState(0);
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

  useLayoutEffect(() => {
    const measure = () => setTop(Math.round((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    // Content above the list, such as a notice, can appear and disappear.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
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

  return (
    <ol ref={list} aria-label="Events" className="timeline" style={{ height: virtualizer.getTotalSize() }}>
      {rows.map(({ key, index, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        return (
          <li
            key={key}
            ref={virtualizer.measureElement}
            aria-posinset={index + 1}
            aria-setsize={items.length}
            data-index={index}
            data-event={item.id}
            tabIndex={-1}
            className="timeline-item"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <TimelineRow
              item={item}
              search={searchOf(item.id)}
              isCurrent={item.id === current}
              isOpen={toggled.has(item.id) !== isOpenAtFirst(item.event)}
              onToggle={toggle}
              onChoose={choose}
              startedAt={startedAt}
              finishedAt={finishedAt}
            />
          </li>
        );
      })}
    </ol>
  );
}

function isError(event: TimelineItem['event']): boolean {
  if (event.kind === 'prompt') return false;
  return event.kind === 'outcome' ? !event.succeeded : filtersOf(event).includes('errors');
}

/** Failed calls are expanded. */
function isOpenAtFirst(event: TimelineItem['event']): boolean {
  return 'state' in event && event.state === 'failed';
}
