import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import LiveRegion from '@cloudscape-design/components/live-region';
import Pagination from '@cloudscape-design/components/pagination';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useCallback, useState } from 'react';
import { useSearchParams } from 'react-router';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { EVENT_COLUMNS } from './event-columns.tsx';
import { EventFilters } from './event-filters.tsx';
import { type FeedFilters, readFeedFilters, writeFeedFilters } from './feed-filters.ts';
import { type Feed, useFeed } from './use-feed.ts';
import { useHeld } from './use-held.ts';

/** Rows of a page of the table. */
const ROWS = 50;

/** What happened to jobs, newest first, as it happens. The filters are in the address. */
export function EventsPage() {
  usePageTitle('Events');
  const [parameters, setParameters] = useSearchParams();
  const filters = readFeedFilters(parameters);
  const change = useCallback(
    // The parameters of the last render may lack a later change.
    (changed: Partial<FeedFilters>) =>
      setParameters(writeFeedFilters({ ...readFeedFilters(new URLSearchParams(window.location.search)), ...changed })),
    [setParameters],
  );
  return <EventsOf key={JSON.stringify(filters)} filters={filters} onChange={change} />;
}

interface EventsOfProps {
  readonly filters: FeedFilters;
  readonly onChange: (changed: Partial<FeedFilters>) => void;
}

function EventsOf({ filters, onChange }: EventsOfProps) {
  const { retry, ...feed } = useFeed(filters);
  const [page, setPage] = useState(1);
  const [isOver, setOver] = useState(false);
  const { shown, newer, release } = useHeld(feed.events, isOver || page > 1);
  const pages = Math.ceil(shown.length / ROWS);
  const toNewest = () => {
    release();
    setPage(1);
    window.scrollTo({ top: 0 });
  };
  return (
    <SpaceBetween size="m">
      {feed.missed && (
        <Alert type="warning" header="Events are missing here">
          Events are kept for {LIMITS.events.days} days. Some that this list would show have been removed since.
        </Alert>
      )}
      {/* A row must not move away from under the pointer. */}
      <div onPointerEnter={() => setOver(true)} onPointerLeave={() => setOver(false)}>
        <ListTable
          variant="full-page"
          stickyHeader
          wrapLines
          trackBy="id"
          ariaLabels={{ tableLabel: 'Events' }}
          header={
            <Header
              variant="h1"
              counter={feed.state === 'reading' ? undefined : `(${counted(feed)})`}
              description={`What happened, newest first. Events are kept for ${LIMITS.events.days} days.`}
              actions={
                <SpaceBetween size="s" direction="horizontal" alignItems="center">
                  <FeedState feed={feed} />
                  {newer > 0 && (
                    <Button iconName="angle-up" onClick={toNewest}>
                      {`${newer.toLocaleString('en')} new`}
                    </Button>
                  )}
                </SpaceBetween>
              }
            >
              Events
            </Header>
          }
          filter={<EventFilters filters={filters} onChange={onChange} events={feed.events} />}
          pagination={
            pages > 1 && (
              <Pagination
                currentPageIndex={page}
                pagesCount={pages}
                ariaLabels={{
                  nextPageLabel: 'Older events',
                  previousPageLabel: 'Newer events',
                  pageLabel: (number) => `Page ${number}`,
                }}
                onChange={({ detail }) => setPage(detail.currentPageIndex)}
              />
            )
          }
          items={shown.slice((page - 1) * ROWS, page * ROWS)}
          loading={feed.events.length === 0 && (feed.state === 'reading' || feed.state === 'trouble')}
          loadingText="Reading the events"
          columnDefinitions={EVENT_COLUMNS}
          empty={
            feed.state === 'failed' && feed.error ? (
              <PageError error={feed.error} what="The events" retry={retry} />
            ) : (
              <NoEvents filters={filters} onChange={onChange} />
            )
          }
        />
      </div>
    </SpaceBetween>
  );
}

function counted({ events, isCut }: Feed): string {
  return `${events.length.toLocaleString('en')}${isCut ? '+' : ''}`;
}

function FeedState({ feed: { state, events, error } }: { feed: Feed }) {
  if (state === 'failed') return events.length > 0 && <StatusIndicator type="error">{error?.message}</StatusIndicator>;
  // The number would be read aloud with each page.
  if (state === 'reading')
    return <StatusIndicator type="loading">{`Reading: ${events.length.toLocaleString('en')} so far`}</StatusIndicator>;
  return (
    <LiveRegion>
      {state === 'live' ? (
        <StatusIndicator type="success">Live</StatusIndicator>
      ) : (
        <StatusIndicator type="warning">{`Not up to date. ${error?.message ?? ''}`}</StatusIndicator>
      )}
    </LiveRegion>
  );
}

function NoEvents({ filters, onChange }: EventsOfProps) {
  const { since: _since, ...others } = filters;
  const isFiltered = Object.values(others).some((value) => value !== '');
  if (filters.since !== '30d')
    return (
      <EmptyList
        title={isFiltered ? 'No matching events in this time' : 'No events in this time'}
        action={<Button onClick={() => onChange({ since: '30d' })}>Show the last 30 days</Button>}
      >
        Events appear here as they happen.
      </EmptyList>
    );
  return (
    <EmptyList title={isFiltered ? 'No matching events' : 'No events yet'}>
      {isFiltered ? 'Change the filters to see more.' : 'They appear here when a job is created.'}
    </EmptyList>
  );
}
