import { memo } from 'react';
import { Link } from 'react-router';
import { EventBody } from './event-body.tsx';
import { EventTime } from './event-time.tsx';
import type { TimelineItem } from './timeline-item.ts';

export interface TimelineRowProps {
  readonly item: TimelineItem;
  /** The query of the address that leads to this row. */
  readonly search: string;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (id: string) => void;
  readonly onChoose: (id: string) => void;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** A row: a link to it with its time beside what happened. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { item, search, isCurrent, isOpen, onToggle, onChoose, startedAt, finishedAt } = props;
  const toggle = () => onToggle(item.id);
  return (
    <div className={`event event-${item.event.kind}${isCurrent ? ' event-current' : ''}`}>
      <Link
        className="event-link"
        to={{ search }}
        replace
        preventScrollReset
        aria-label={`Link to this event: ${NAMES[item.event.kind]}`}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={() => onChoose(item.id)}
      >
        <span aria-hidden="true">#</span>
      </Link>
      <span className="event-time">
        <EventTime item={item} startedAt={startedAt} finishedAt={finishedAt} />
      </span>
      <div className="event-body">
        <EventBody item={item} isOpen={isOpen} onToggle={toggle} />
      </div>
    </div>
  );
});

const NAMES: Readonly<Record<TimelineItem['event']['kind'], string>> = {
  prompt: 'prompt',
  message: 'message',
  reasoning: 'reasoning',
  command: 'command',
  tool: 'tool call',
  files: 'file changes',
  error: 'error',
  note: 'note',
  raw: 'output',
  usage: 'usage',
  outcome: 'outcome',
};
