import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { eventText } from '../events/event-words.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { PageError } from '../page/page-error.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { type Delivery, deliveriesQuery } from './subscription-queries.ts';
import { DeliveryState } from './subscription-state.tsx';

interface DeliveriesProps {
  readonly id: string;
  /** The delivery that is being sent again. */
  readonly sending: string | undefined;
  readonly onResend: (delivery: string) => void;
}

/** What a subscription has sent, the newest first, and what is to be tried again. */
export function Deliveries({ id, sending, onResend }: DeliveriesProps) {
  const { data, error, isPending, refetch } = useQuery(deliveriesQuery(id));
  if (error && !data) return <PageError error={error} what="The deliveries" retry={() => void refetch()} />;
  return (
    <ListTable
      wrapLines
      trackBy="id"
      ariaLabels={{ tableLabel: 'Deliveries' }}
      header={
        <Header variant="h2" description="What was not accepted is tried again for 24 hours, in order.">
          Deliveries
        </Header>
      }
      items={data?.items ?? []}
      loading={isPending}
      loadingText="Loading the deliveries"
      empty={<EmptyList title="Nothing sent yet">Send a test to see that it arrives.</EmptyList>}
      columnDefinitions={[
        { id: 'what', header: 'What', isRowHeader: true, minWidth: 200, cell: (one) => <What one={one} /> },
        { id: 'state', header: 'Outcome', minWidth: 220, cell: (one) => <DeliveryState one={one} /> },
        { id: 'attempts', header: 'Tries', minWidth: 70, cell: ({ attempts }) => attempts },
        { id: 'last', header: 'Last try', minWidth: 110, cell: (one) => <TimeAgo at={one.last_attempt_at} /> },
        { id: 'next', header: 'Next try', minWidth: 110, cell: (one) => <TimeAgo at={one.next_attempt_at} /> },
        {
          id: 'actions',
          header: 'Actions',
          minWidth: 120,
          cell: (one) => (
            <Button
              variant="inline-link"
              loading={sending === one.id}
              ariaLabel={`Send again: ${whatText(one)} of ${one.created_at}`}
              onClick={() => onResend(one.id)}
            >
              Send again
            </Button>
          ),
        },
      ]}
    />
  );
}

function What({ one }: { one: Delivery }) {
  const [event] = one.events;
  const text = whatText(one);
  if (one.kind !== 'event' || event == null || event.job_id === null) return text;
  return (
    <Link className="job-link" to={`/jobs/${encodeURIComponent(event.job_id)}`} aria-label={`${text}: ${event.job_id}`}>
      {text}
    </Link>
  );
}

function whatText({ kind, events }: Delivery): string {
  if (kind === 'test') return 'Test';
  if (kind === 'digest') return `${events.length} events in one message`;
  return eventText(events[0]?.type ?? '');
}
