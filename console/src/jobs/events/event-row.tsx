import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { memo } from 'react';
import type { AgentEvent } from './agent-event.ts';

/** One event, in the form that suits it. */
export const EventRow = memo(function EventRow({ event }: { event: AgentEvent }) {
  switch (event.kind) {
    case 'message':
      return (
        <div className="agent-event agent-message">
          <Box variant="awsui-key-label">Message</Box>
          <div className="agent-text">{event.text}</div>
        </div>
      );
    case 'reasoning':
      return (
        <div className="agent-event">
          <ExpandableSection headerText="Reasoning">
            <div className="agent-text">{event.text}</div>
          </ExpandableSection>
        </div>
      );
    case 'error':
      return (
        <div className="agent-event">
          <StatusIndicator type="error">{event.text}</StatusIndicator>
        </div>
      );
    case 'note':
      return (
        <div className="agent-event">
          <Box color="text-body-secondary">{event.text}</Box>
        </div>
      );
    case 'raw':
      return (
        <div className="agent-event">
          <pre className="job-text">{event.text}</pre>
        </div>
      );
    case 'command':
      return (
        <div className="agent-event">
          <div className="agent-line">
            <State state={event.state} text={event.exitCode === null ? undefined : `exit ${event.exitCode}`} />
            <code className="agent-command">{event.command}</code>
          </div>
          <Output text={event.output} open={event.state === 'failed'} />
        </div>
      );
    case 'files':
      return (
        <div className="agent-event">
          <div className="agent-line">
            <State state={event.state} text="files" />
            <ul className="agent-files">
              {event.changes.map(({ path, change }) => (
                <li key={path}>
                  <Badge color={change === 'delete' ? 'red' : change === 'add' ? 'green' : 'blue'}>{change}</Badge>{' '}
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </div>
        </div>
      );
    case 'tool':
      return (
        <div className="agent-event">
          <div className="agent-line">
            <State state={event.state} text={event.name} />
          </div>
          {event.input !== '' && (
            <ExpandableSection headerText="Input">
              <pre className="job-text">{event.input}</pre>
            </ExpandableSection>
          )}
          <Output text={event.output} open={event.state === 'failed'} />
        </div>
      );
    case 'usage':
      return (
        <div className="agent-event agent-usage">
          {event.facts.map(([label, value]) => (
            <span key={label}>
              {label}: <b>{value}</b>
            </span>
          ))}
        </div>
      );
  }
});

const TYPES = { running: 'in-progress', done: 'success', failed: 'error' } as const;
const WORDS = { running: 'running', done: 'done', failed: 'failed' } as const;

function State({ state, text }: { state: keyof typeof TYPES; text: string | undefined }) {
  return <StatusIndicator type={TYPES[state]}>{text ?? WORDS[state]}</StatusIndicator>;
}

function Output({ text, open }: { text: string; open: boolean }) {
  if (text === '') return null;
  const lines = text.trimEnd().split('\n').length;
  return (
    <ExpandableSection
      headerText={`Output, ${lines === 1 ? '1 line' : `${lines} lines`}`}
      defaultExpanded={open || lines <= 5}
    >
      <pre className="job-text">{text}</pre>
    </ExpandableSection>
  );
}
