import type { TimelineItem } from './timeline-item.ts';
import { TimelineRow } from './timeline-row.tsx';
import { type ShownTimeline, useTimelineRows } from './use-timeline-rows.ts';

interface TimelineListProps extends ShownTimeline {
  readonly searchOf: (id: string) => string;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** The rows of a timeline. Only those near the window are rendered, so that thousands scroll smoothly. */
export function TimelineList({ searchOf, startedAt, finishedAt, ...shown }: TimelineListProps) {
  const { items } = shown;
  const { list, top, rows, virtualizer, current, toggled, toggle, choose } = useTimelineRows(shown);
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

/** Failed calls are expanded. */
function isOpenAtFirst(event: TimelineItem['event']): boolean {
  return 'state' in event && event.state === 'failed';
}
