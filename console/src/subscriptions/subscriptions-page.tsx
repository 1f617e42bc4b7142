import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { TimeAgo } from '../format/time-ago.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { LinkButton } from '../page/link-button.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListPage } from '../tables/list-page.tsx';
import { type Subscription, subscriptionsQuery } from './subscription-queries.ts';
import { SubscriptionState } from './subscription-state.tsx';
import { eventsText } from './subscription-words.ts';
import { targetText } from './target-kinds.ts';

/** Who is notified of what, and whether that works. */
export function SubscriptionsPage() {
  usePageTitle('Subscriptions');
  return (
    <AdminsOnly title="Subscriptions">
      <SubscriptionList />
    </AdminsOnly>
  );
}

function SubscriptionList() {
  const list = useQuery(subscriptionsQuery);
  const create = (
    <LinkButton to="/subscriptions/-/new" primary>
      New subscription
    </LinkButton>
  );
  return (
    <ListPage
      title="Subscriptions"
      description="Messages to people, and calls to programs, about what happens."
      actions={create}
      list={{ ...list, data: list.data && { pages: [list.data] } }}
      trackBy="id"
      columns={COLUMNS}
      empty={
        <EmptyList title="No subscriptions" action={create}>
          Create one to hear of questions and failures where you are. It takes a minute.
        </EmptyList>
      }
    />
  );
}

const COLUMNS: readonly TableProps.ColumnDefinition<Subscription>[] = [
  {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    minWidth: 140,
    cell: ({ id, name }) => (
      <Link className="job-link" to={`/subscriptions/${encodeURIComponent(id)}`}>
        {name}
      </Link>
    ),
  },
  { id: 'target', header: 'Sends to', minWidth: 180, cell: targetText },
  { id: 'events', header: 'Events', minWidth: 180, cell: eventsText },
  { id: 'state', header: 'Health', minWidth: 260, cell: (one) => <SubscriptionState one={one} /> },
  { id: 'last', header: 'Last delivery', minWidth: 120, cell: (one) => <LastDelivery one={one} /> },
  {
    id: 'dropped',
    header: 'Given up',
    minWidth: 90,
    cell: ({ dropped }) => (dropped === 0 ? 0 : <StatusIndicator type="warning">{dropped}</StatusIndicator>),
  },
];

function LastDelivery({ one: { last_delivery: last } }: { one: Subscription }) {
  return last === null ? 'None yet' : <TimeAgo at={last.at} />;
}
