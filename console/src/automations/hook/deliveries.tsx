import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';
import { sizeText } from '../../format/size-text.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import { type Delivery, deliveriesQuery, useDeliver } from './hook-queries.ts';
import './deliveries.css';

const OUTCOMES: Readonly<Record<string, readonly [StatusIndicatorProps.Type, string]>> = {
  accepted: ['pending', 'Accepted'],
  filtered: ['stopped', 'Filtered out'],
  fired: ['success', 'Job created'],
  skipped: ['stopped', 'Skipped'],
  failed: ['error', 'Not created'],
};

const KINDS: Readonly<Record<string, string>> = { test: 'Test', resent: 'Sent again' };

/** The newest deliveries with what became of each, and why requests were refused. */
export function Deliveries({ id, mayAct }: { id: string; mayAct: boolean }) {
  const deliveries = useQuery(deliveriesQuery(id));
  const deliver = useDeliver(id);
  const resend = (delivery: string) =>
    deliver.mutate(
      { delivery },
      {
        onError: (error) =>
          notify(
            writeFailure(error, {
              rejected: 'The delivery was not sent again',
              done: 'the delivery was sent again',
              next: 'The list shows what came.',
            }),
          ),
      },
    );
  const actions: TableProps.ColumnDefinition<Delivery> = {
    id: 'actions',
    header: 'Actions',
    minWidth: 110,
    cell: (one) => (
      <Button
        variant="inline-link"
        ariaLabel={`Send again: ${one.id}`}
        loading={deliver.isPending && 'delivery' in deliver.variables && deliver.variables.delivery === one.id}
        onClick={() => resend(one.id)}
      >
        Send again
      </Button>
    ),
  };
  const refused = deliveries.data?.refused ?? [];
  return (
    <ListTable
      wrapLines
      trackBy="id"
      header={
        <Header variant="h2" description="The newest 50. What looks like a secret is masked.">
          Deliveries
        </Header>
      }
      ariaLabels={{ tableLabel: 'Deliveries' }}
      items={deliveries.data?.items ?? []}
      loading={deliveries.isPending}
      loadingText="Loading the deliveries"
      empty={
        deliveries.error ? (
          <StatusIndicator type="error">{deliveries.error.message}</StatusIndicator>
        ) : (
          'Nothing came yet. Send a test delivery, or have the sender send one.'
        )
      }
      columnDefinitions={mayAct ? [...COLUMNS, actions] : COLUMNS}
      footer={
        refused.length > 0 && (
          <Box>
            {refused.map(({ code, message, at }) => (
              <StatusIndicator key={code} type="warning">
                Refused <TimeAgo at={at} />: {message}
              </StatusIndicator>
            ))}
          </Box>
        )
      }
    />
  );
}

const COLUMNS: TableProps.ColumnDefinition<Delivery>[] = [
  {
    id: 'received',
    header: 'Received',
    isRowHeader: true,
    minWidth: 110,
    cell: ({ received_at, kind }) => (
      <>
        <TimeAgo at={received_at} />
        {KINDS[kind] !== undefined && (
          <Box variant="small" display="block">
            {KINDS[kind]}
          </Box>
        )}
      </>
    ),
  },
  { id: 'event', header: 'Event', minWidth: 90, cell: ({ event }) => event ?? '-' },
  {
    id: 'outcome',
    header: 'Outcome',
    minWidth: 160,
    cell: ({ outcome, reason }) => {
      const [type, text] = OUTCOMES[outcome] ?? ['info', outcome];
      return (
        <>
          <StatusIndicator type={type}>{text}</StatusIndicator>
          {reason !== null && (
            <Box variant="small" display="block">
              {reason}
            </Box>
          )}
        </>
      );
    },
  },
  {
    id: 'job',
    header: 'Job',
    minWidth: 90,
    cell: ({ job_id, received_at }) =>
      job_id === null ? (
        '-'
      ) : (
        <Link className="job-link" to={`/jobs/${job_id}`} aria-label={`Open job of ${received_at}`}>
          Open job
        </Link>
      ),
  },
  {
    id: 'body',
    header: 'Body',
    minWidth: 200,
    cell: ({ body, bytes }) => (
      <details className="delivery-body">
        <summary>{sizeText(bytes)}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre tabIndex={0}>{body}</pre>
      </details>
    ),
  },
];
