import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { Link } from 'react-router';
import { Markdown } from '../text/markdown.tsx';
import { CommandEvent, ToolEvent } from './call-event.tsx';
import { tookText } from './event-time.tsx';
import { Fold } from './fold.tsx';
import { PromptBody } from './prompt-body.tsx';
import { QuestionBody } from './question-body.tsx';
import type { TimelineItem } from './timeline-item.ts';

interface EventBodyProps {
  readonly item: TimelineItem;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One event, rendered by its kind. */
export function EventBody({ item, isOpen, onToggle }: EventBodyProps) {
  const { event } = item;
  switch (event.kind) {
    case 'prompt':
      return <PromptBody job={event.job} isOpen={isOpen} onToggle={onToggle} />;
    case 'message':
      if (item.isAnswer !== true) return <Markdown text={event.text} />;
      return (
        <Fold summary={<Preview label="Answer" text={event.text} />} isOpen={isOpen} onToggle={onToggle}>
          <Markdown text={event.text} />
        </Fold>
      );
    case 'reasoning':
      return (
        <Fold summary={<Preview label="Reasoning" text={event.text} />} isOpen={isOpen} onToggle={onToggle}>
          <Markdown text={event.text} />
        </Fold>
      );
    case 'error':
      return <StatusIndicator type="error">{event.text}</StatusIndicator>;
    case 'note':
      return <span className="event-secondary">{event.text}</span>;
    case 'raw':
      return <pre className="event-text">{event.text}</pre>;
    case 'command':
      return <CommandEvent event={event} took={tookText(item)} isOpen={isOpen} onToggle={onToggle} />;
    case 'tool':
      return <ToolEvent event={event} took={tookText(item)} isOpen={isOpen} onToggle={onToggle} />;
    case 'files':
      return (
        <ul className="event-files">
          {event.changes.map(({ path, change }) => (
            <li key={path}>
              <span className={`file-change is-${CHANGES.has(change) ? change : 'update'}`}>{change}</span>{' '}
              <code>{path}</code>
            </li>
          ))}
          {event.state === 'failed' && <StatusIndicator type="error">The change failed.</StatusIndicator>}
        </ul>
      );
    case 'usage':
      return (
        <div className="event-facts-list">
          {event.facts.map(([label, value]) => (
            <span key={label}>
              {label}: <b>{value}</b>
            </span>
          ))}
        </div>
      );
    case 'question':
      return <QuestionBody question={event.question} />;
    case 'outcome':
      return (
        <span>
          <StatusIndicator type={event.succeeded ? 'success' : 'error'}>{event.text}</StatusIndicator>{' '}
          <Link className="job-link" to="?tab=result">
            Result
          </Link>
        </span>
      );
  }
}

const CHANGES = new Set(['add', 'delete']);

function Preview({ label, text }: { label: string; text: string }) {
  return (
    <span className="event-summary">
      {label} <span className="event-secondary">{withoutMarks(text)}</span>
    </span>
  );
}

/** Characters of a preview; the line that shows it is cut at its end. */
const PREVIEW_LENGTH = 500;

/** The first line without Markdown's marks: headings at its start, emphasis and code around words. */
function withoutMarks(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line
    .slice(0, PREVIEW_LENGTH)
    .replace(/^#{1,6} +/, '')
    .replaceAll(/(?<![\p{L}\p{N}_*`])([*_`]{1,3})(?=\S)(.+?)(?<=\S)\1(?![\p{L}\p{N}_*`])/gu, '$2');
}
