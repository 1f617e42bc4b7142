import type { AgentEvent, CallState } from '../../../../lib/vendors/timeline/agent-event.ts';
import { withoutShell } from '../../../../lib/vendors/timeline/without-shell.ts';
import { CopyButton } from '../text/copy-button.tsx';
import { createColourStripper } from '../text/strip-colours.ts';
import { Fold } from './fold.tsx';

type Event<Kind> = Extract<AgentEvent, { kind: Kind }>;

interface CallProps<Kind> {
  readonly event: Event<Kind>;
  readonly took: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Characters of a command in the collapsed line. */
const SHORT_COMMAND = 30;

/** A command: a line that expands to the whole command and its output. */
export function CommandEvent({ event, took, isOpen, onToggle }: CallProps<'command'>) {
  const { command, output, exitCode, state } = event;
  const shown = withoutShell(command);
  return (
    <Fold
      isOpen={isOpen}
      onToggle={onToggle}
      summary={
        <>
          <code className="event-summary">{shown}</code>
          <CallFacts state={state} exitCode={exitCode} took={took} />
        </>
      }
    >
      {(shown.includes('\n') || shown.length > SHORT_COMMAND) && <Text what="command" text={shown} />}
      <Text what="output" text={createColourStripper()(output)} />
    </Fold>
  );
}

/** A call of another tool: its name, which expands to its input and output. */
export function ToolEvent({ event, took, isOpen, onToggle }: CallProps<'tool'>) {
  const { name, input, output, state } = event;
  return (
    <Fold
      isOpen={isOpen}
      onToggle={onToggle}
      summary={
        <>
          <span className="event-summary">
            {name} <code className="event-secondary">{input.replaceAll(/\s+/g, ' ').slice(0, 200)}</code>
          </span>
          <CallFacts state={state} exitCode={null} took={took} />
        </>
      }
    >
      <Text what="input" text={input} />
      <Text what="output" text={createColourStripper()(output)} />
    </Fold>
  );
}

function CallFacts({ state, exitCode, took }: { state: CallState; exitCode: number | null; took: string | undefined }) {
  const text = exitCode === null ? WORDS[state] : `exit ${exitCode}`;
  return (
    <span className="event-facts">
      {took !== undefined && <span className="event-secondary">{took}</span>}
      <span className={`call-state is-${state}`}>{text}</span>
    </span>
  );
}

const WORDS = { running: 'running', done: 'done', failed: 'failed' } as const;

function Text({ what, text }: { what: 'command' | 'input' | 'output'; text: string }) {
  if (text === '') return what === 'output' ? <div className="event-secondary">No output.</div> : null;
  return (
    <div className="event-copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: content that scrolls must be reachable by keyboard */}
      <pre className="event-text" tabIndex={0}>
        {text}
      </pre>
      <CopyButton text={text} what={what} />
    </div>
  );
}
