import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { Link } from 'react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { eventWords } from './event-words.ts';
import type { Event } from './feed-filters.ts';

/** The columns of the feed. */
export const EVENT_COLUMNS: readonly TableProps.ColumnDefinition<Event>[] = [
  { id: 'event', header: 'Event', isRowHeader: true, minWidth: 240, cell: (event) => <What event={event} /> },
  { id: 'time', header: 'Time', minWidth: 135, cell: ({ time }) => <TimeAgo at={time} /> },
  { id: 'project', header: 'Project', minWidth: 120, cell: ({ project }) => project ?? '-' },
  { id: 'job', header: 'Job', minWidth: 220, cell: ({ job_id }) => job_id ?? '-' },
  { id: 'sequence', header: 'Of its job', minWidth: 100, cell: (event) => <Sequence event={event} /> },
  { id: 'from', header: 'Template or automation', minWidth: 140, cell: (event) => <Origin event={event} /> },
];

function What({ event }: { event: Event }) {
  const { text, type, reason } = eventWords(event);
  const href = addressOf(event);
  return (
    <>
      <StatusIndicator type={type}>
        {href === undefined ? (
          text
        ) : (
          <Link className="job-link" to={href} aria-label={event.job_id === null ? text : `${text}: ${event.job_id}`}>
            {text}
          </Link>
        )}
      </StatusIndicator>
      {reason !== undefined && (
        <Box variant="small" display="block">
          {reason}
        </Box>
      )}
    </>
  );
}

/** The event's number among those of its job, with a link to all of them. */
function Sequence({ event: { job_id, sequence } }: { event: Event }) {
  if (job_id === null || sequence === null) return '-';
  const query = new URLSearchParams({ job: job_id, since: '30d' });
  return (
    <Link className="job-link" to={`/events?${query}`} aria-label={`no. ${sequence}: all events of ${job_id}`}>
      no. {sequence}
    </Link>
  );
}

/** The page that shows what an event is about; undefined for a job that is gone. The timeline shows questions. */
function addressOf({ type, job_id, question, subject }: Event): string | undefined {
  if (type === 'job.removed') return undefined;
  if (job_id === null) return subject === null ? undefined : addressOfSubject(subject);
  const tab = subject?.kind === 'deployment' ? '?tab=deployments' : question === null ? '' : '?tab=timeline';
  return `/jobs/${encodeURIComponent(job_id)}${tab}`;
}

function addressOfSubject({ kind, id }: NonNullable<Event['subject']>): string | undefined {
  if (kind === 'automation') return `/automations/${encodeURIComponent(id)}`;
  return SUBJECT_PAGES.get(kind);
}

const SUBJECT_PAGES = new Map([
  ['account', '/account'],
  ['worker', '/environment'],
  ['deployment', '/bindings'],
]);

function Origin({ event: { template, automation } }: { event: Event }) {
  if (template === null && automation === null) return '-';
  return (
    <>
      {template !== null && (
        <Link className="job-link" to={`/templates/${encodeURIComponent(template)}`}>
          {template}
        </Link>
      )}
      {template !== null && automation !== null && ', '}
      {automation !== null && (
        <Link className="job-link" to={`/automations/${encodeURIComponent(automation)}`}>
          {automation}
        </Link>
      )}
    </>
  );
}
