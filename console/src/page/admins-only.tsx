import Alert from '@cloudscape-design/components/alert';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { PageError } from './page-error.tsx';
import { PageLoading } from './page-loading.tsx';

/** Shows a page to admins. Other users see what the page is for and how to get access. */
export function AdminsOnly({ title, children }: { title: string; children: ReactNode }) {
  const session = useQuery(sessionQuery);
  if (session.error && !session.data)
    return <PageError error={session.error} what="Your session" retry={() => void session.refetch()} />;
  if (!session.data) return <PageLoading />;
  if (session.data.role === 'admin') return children;
  return (
    <SpaceBetween size="m">
      <Header variant="h1">{title}</Header>
      <Alert type="info" header="This page is for admins">
        You are signed in as {session.data.role ?? 'a user without a role'}. An administrator of this deployment can do
        this for you or grant you the role. Sign in again after that.
      </Alert>
    </SpaceBetween>
  );
}
