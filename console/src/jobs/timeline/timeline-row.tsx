import { type MouseEvent, memo } from 'react';
import { EventBody } from './event-body.tsx';
import { EventTime } from './event-time.tsx';
import type { TimelineItem } from './timeline-item.ts';
import './event.css';

interface TimelineRowProps {
  readonly item: TimelineItem;
  /** The query that links to this row. */
  readonly search: string;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: (id: string) => void;
  /** Called when the row's link is followed in this window. */
  readonly onChoose: (id: string) => void;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
}

/** A row: its link and its time beside the event. */
export const TimelineRow = memo(function TimelineRow(props: TimelineRowProps) {
  const { item, search, isCurrent, isOpen, onToggle, onChoose, startedAt, finishedAt } = props;
  const toggle = () => onToggle(item.id);
  const choose = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onChoose(item.id);
  };
  return (
    <div className={`event is-${item.event.kind}${isCurrent ? ' event-current' : ''}`}>
      <a
        className="event-link"
        href={search}
        aria-label={`Link to this event: ${NAMES[item.event.kind]}`}
        aria-current={isCurrent ? 'true' : undefined}
        onClick={choose}
      >
        #
      </a>
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
  question: 'question',
  outcome: 'outcome',
};
