import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { MessageSourceContext } from '../../diagrams/message-source.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { resultQuery } from '../queries/job-query.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { JobStatus } from '../status/job-status.tsx';
import { jobHeadline } from '../text/prompt-headline.ts';

const Markdown = lazyPart(() => import('../text/markdown.tsx'), 'Markdown');

/** One turn of a thread: the beginning of its prompt, and its answer or why it has none. */
export function Turn({ turn, isCurrent }: { turn: JobSummary; isCurrent: boolean }) {
  return (
    <li className={isCurrent ? 'turn turn-current' : 'turn'} aria-current={isCurrent ? 'true' : undefined}>
      <div className="turn-line">
        <strong>Turn {turn.turn}</strong>
        {isCurrent && <span className="turn-note">This job</span>}
        <JobStatus status={turn.status} cancelling={turn.cancel_requested_at !== null} />
      </div>
      <Link className="job-link turn-prompt" to={`/jobs/${turn.id}?tab=conversation`} title={turn.prompt_preview}>
        {jobHeadline(turn)}
      </Link>
      {isTerminal(turn.status) && turn.agent !== 'shell' && turn.attempt > 0 && <Answer turn={turn} />}
      {turn.status !== 'SUCCEEDED' && turn.status !== 'RUNNING' && <Reason text={turn.state_reason.message} />}
    </li>
  );
}

/** The final message of a turn. */
function Answer({ turn }: { turn: JobSummary }) {
  const result = useQuery(resultQuery(turn));
  if (result.error) return <p className="turn-note">Could not load the answer: {result.error.message}</p>;
  if (!result.data) return <Spinner />;
  const { final_message } = result.data;
  if (final_message === null || final_message === '') return <p className="turn-note">No final message.</p>;
  return (
    <Part loading={<Spinner />}>
      <MessageSourceContext value={{ jobId: turn.id, projectId: turn.project_id }}>
        <Markdown text={final_message} />
      </MessageSourceContext>
    </Part>
  );
}

/** A reason, with links to the jobs that it names. */
function Reason({ text }: { text: string }) {
  return (
    <p className="turn-note">
      {text.split(/\b(job_\w+)/).map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          <Link key={part} to={`/jobs/${part}`}>
            {part}
          </Link>
        ),
      )}
    </p>
  );
}
