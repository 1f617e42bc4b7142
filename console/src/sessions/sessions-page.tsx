import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { TimeAgo } from '../format/time-ago.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { sessionsQuery, useEndSession } from './session-queries.ts';

type Session = Schemas['SessionList']['items'][number];

/** The active browser sessions. */
export function SessionsPage() {
  usePageTitle('Sessions');
  return (
    <AdminsOnly title="Sessions">
      <SessionTable />
    </AdminsOnly>
  );
}

function SessionTable() {
  const sessions = useQuery(sessionsQuery);
  const end = useEndSession();
  const [asked, setAsked] = useState<Session>();
  if (sessions.error && !sessions.data)
    return <PageError error={sessions.error} what="The sessions" retry={() => void sessions.refetch()} />;
  return (
    <>
      <ListTable
        variant="full-page"
        wrapLines
        trackBy="id"
        ariaLabels={{ tableLabel: 'Sessions' }}
        header={
          <Header
            variant="h1"
            counter={sessions.data && `(${sessions.data.items.length})`}
            description="Active browser sessions, with browser and address as of the sign-in. After a session is ended, its user must sign in again."
          >
            Sessions
          </Header>
        }
        items={sessions.data?.items ?? []}
        loading={sessions.isPending}
        loadingText="Loading the sessions"
        columnDefinitions={columns(setAsked)}
        empty={<EmptyList title="No active sessions" />}
      />
      {asked && (
        <ConfirmDialog
          action="End session"
          keep="Cancel"
          busy={end.isPending}
          onDismiss={() => setAsked(undefined)}
          onConfirm={() => end.mutate(asked.id, { onSettled: () => setAsked(undefined) })}
        >
          {asked.current
            ? 'This is your current session. You will have to sign in again.'
            : `${personOf(asked)} will have to sign in again in that browser.`}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Update interval (ms) of a session's last use. */
const LAST_USED_INTERVAL_MS = 300_000;

function columns(onEnd: (session: Session) => void): TableProps.ColumnDefinition<Session>[] {
  return [
    {
      id: 'name',
      header: 'User',
      isRowHeader: true,
      minWidth: 200,
      cell: (session) => (
        <>
          {personOf(session)} {session.current && <Badge color="blue">this session</Badge>}
        </>
      ),
    },
    {
      id: 'browser',
      header: 'Browser',
      minWidth: 150,
      cell: ({ browser, address }) => (
        <>
          {browser ?? 'Unknown browser'}
          <Box variant="small" display="block">
            {address ?? 'Unknown address'}
          </Box>
        </>
      ),
    },
    { id: 'role', header: 'Role', minWidth: 90, cell: (session) => session.role },
    { id: 'began', header: 'Signed in', minWidth: 110, cell: (session) => <TimeAgo at={session.created_at} /> },
    {
      id: 'used',
      header: 'Last used',
      minWidth: 110,
      cell: (session) => <TimeAgo at={session.last_used_at} within={LAST_USED_INTERVAL_MS} />,
    },
    { id: 'expires', header: 'Expires', minWidth: 110, cell: (session) => <TimeAgo at={session.expires_at} /> },
    {
      id: 'actions',
      header: 'Actions',
      minWidth: 80,
      cell: (session) => (
        <Button
          variant="inline-link"
          ariaLabel={`End the session of ${personOf(session)}, ${session.browser ?? 'unknown browser'}`}
          onClick={() => onEnd(session)}
        >
          End
        </Button>
      ),
    },
  ];
}

function personOf({ email, name }: Session): string {
  return email ?? name.replace(/^user:/, '');
}
