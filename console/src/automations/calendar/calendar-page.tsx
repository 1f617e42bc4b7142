import Box from '@cloudscape-design/components/box';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { automationPath } from '../../page/automation-link.tsx';
import { LinkButton } from '../../page/link-button.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { LoadMore } from '../../tables/load-more.tsx';
import { calendarQuery } from '../automation-queries.ts';
import { type CalendarDay, type CalendarEntry, dayAfter, dayText, firstDay, weekOf } from './week.ts';
import './calendar.css';

/** Entries of a day that are shown before one asks for more. */
const SHOWN = 12;

const DATE = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'short' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What is due in the seven days from today, or from `?from=2026-11-30`, of all automations. */
export function CalendarPage() {
  usePageTitle('Calendar of automations');
  const [parameters] = useSearchParams();
  const first = firstDay(parameters.get('from'));
  const due = useInfiniteQuery(calendarQuery(first.toISOString(), dayAfter(first, 7).toISOString()));
  if (due.error && !due.data)
    return <PageError error={due.error} what="The calendar" retry={() => void due.refetch()} />;
  if (!due.data) return <PageLoading what="the calendar" />;
  const week = weekOf(
    first,
    due.data.pages.flatMap(({ items }) => items),
  );
  const isFirst = first <= dayAfter(new Date(), 0);
  const weekFrom = (day: Date) => `/automations/-/calendar?from=${dayText(day)}`;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description={`What comes, in your time zone (${ZONE}).`}
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <LinkButton to="/automations">List</LinkButton>
            {!isFirst && <LinkButton to={weekFrom(dayAfter(first, -7))}>Week before</LinkButton>}
            <LinkButton to={weekFrom(dayAfter(first, 7))}>Next week</LinkButton>
          </SpaceBetween>
        }
      >
        Calendar
      </Header>
      <div className="calendar">
        {week.map((day) => (
          <Day key={day.begin.toISOString()} day={day} />
        ))}
      </div>
      <LoadMore list={due} />
    </SpaceBetween>
  );
}

function Day({ day: { begin, entries } }: { day: CalendarDay }) {
  const name = DATE.format(begin);
  const [shown, more] = [entries.slice(0, SHOWN), entries.slice(SHOWN)];
  return (
    <section aria-label={name}>
      <Box variant="h2" fontSize="heading-xs">
        {name}
      </Box>
      {entries.length === 0 && <Box color="text-body-secondary">Nothing</Box>}
      <Entries entries={shown} />
      {more.length > 0 && (
        <details>
          <summary>{more.length} more</summary>
          <Entries entries={more} />
        </details>
      )}
    </section>
  );
}

function Entries({ entries }: { entries: readonly CalendarEntry[] }) {
  return (
    <ol>
      {entries.map(({ id, name, at, count }) => (
        <li key={`${id} ${at}`}>
          <time dateTime={at}>{TIME.format(new Date(at))}</time>{' '}
          <Link className="job-link" to={automationPath(id)}>
            {name}
          </Link>
          {count > 1 && (
            <>
              {' '}
              <Box variant="small">{count.toLocaleString('en')} times</Box>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
