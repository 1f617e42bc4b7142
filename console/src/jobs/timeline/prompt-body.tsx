import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Job, resultQuery } from '../queries/job-query.ts';
import { Fold } from './fold.tsx';

interface PromptBodyProps {
  readonly job: Job;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** Lines of a collapsed prompt. */
const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 1_500;

/** The prompt, its additions, and on demand the text that was sent to the agent, rules included. */
export function PromptBody({ job, isOpen, onToggle }: PromptBodyProps) {
  const text = [job.prompt, job.extra_prompt ?? ''].filter((part) => part !== '').join('\n\n');
  const lines = text.split('\n');
  const short = lines.slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS);
  return (
    <>
      <div className="event-label">Prompt</div>
      <pre className="event-text">{isOpen || short === text ? text : `${short} …`}</pre>
      {short !== text && (
        <button type="button" className="event-fold" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? 'Show less' : `Show all ${lines.length.toLocaleString('en')} lines`}
        </button>
      )}
      {job.rule_ids.length > 0 && <Rules job={job} />}
    </>
  );
}

function Rules({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Fold
      isOpen={isOpen}
      onToggle={() => setOpen(!isOpen)}
      summary={<span className="event-summary">{`Rules: ${job.rule_ids.join(', ')}`}</span>}
    >
      <ComposedPrompt job={job} />
    </Fold>
  );
}

function ComposedPrompt({ job }: { job: Job }) {
  const result = useQuery(resultQuery(job));
  if (result.error) return <>Could not load the prompt: {result.error.message}</>;
  if (!result.data) return <Spinner />;
  return (
    <>
      <div className="event-secondary">Prompt as sent to the agent, rules included:</div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: content that scrolls must be reachable by keyboard */}
      <pre className="event-text" tabIndex={0}>
        {result.data.composed_prompt}
      </pre>
    </>
  );
}
