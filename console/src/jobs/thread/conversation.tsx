import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useMayAct } from '../../api/session.ts';
import { PageError } from '../../page/page-error.tsx';
import type { Job } from '../queries/job-query.ts';
import { threadQuery } from '../queries/thread-query.ts';
import { ContinueBox } from './continue-box.tsx';
import { Turn } from './turn.tsx';
import './conversation.css';

/** The turns of a job's thread, and a field that creates the next one. */
export function Conversation({ job }: { job: Job }) {
  const mayAct = useMayAct();
  const thread = useQuery(threadQuery(job));
  if (thread.error && !thread.data)
    return <PageError error={thread.error} what="The conversation" retry={() => void thread.refetch()} />;
  if (!thread.data) return <Spinner />;
  const { turns, total } = thread.data;
  const newest = turns.at(-1);
  const earlier = total - turns.length;
  return (
    <SpaceBetween size="m">
      {job.turn === null && <Box color="text-body-secondary">This draft becomes the next turn when you queue it.</Box>}
      {total > 1 && (
        <Link className="job-link" to={`/jobs?${new URLSearchParams({ thread: job.thread_id })}`}>
          {earlier > 0 ? `Show all ${total} turns, ${earlier} of them earlier` : 'Show the turns in the list of jobs'}
        </Link>
      )}
      {newest === undefined ? (
        <Box color="text-body-secondary">No turns.</Box>
      ) : (
        <ol className="conversation" aria-label="Turns">
          {turns.map((turn) => (
            <Turn key={turn.id} turn={turn} isCurrent={turn.id === job.id} />
          ))}
        </ol>
      )}
      {mayAct && newest !== undefined && <ContinueBox jobId={job.id} newest={newest} />}
    </SpaceBetween>
  );
}
