import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { WriteFailure } from '../feedback/write-failure.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { accountQuery, isUnderWay, useAccountAction } from './account-query.ts';
import { LinkState } from './link-state.tsx';
import { LoginUnderWay } from './login-under-way.tsx';
import { StartLogin } from './start-login.tsx';

/** The vendor account of the agents: its state, and the actions that link and unlink it. */
export function AccountPage() {
  usePageTitle('Vendor account');
  return (
    <AdminsOnly title="Vendor account">
      <AccountLink />
    </AdminsOnly>
  );
}

function AccountLink() {
  const account = useQuery(accountQuery);
  const action = useAccountAction();
  if (account.error && !account.data)
    return <PageError error={account.error} what="The vendor account" retry={() => void account.refetch()} />;
  if (!account.data) return <PageLoading what="the account" />;
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description="Jobs with a codex profile use this account. Its credentials stay with the workers and are never shown."
      >
        Vendor account
      </Header>
      {action.error && (
        <WriteFailure
          error={action.error}
          rejected="The request failed"
          done="the request took effect"
          next="The state below is read again."
        />
      )}
      <Container header={<Header variant="h2">codex</Header>}>
        <SpaceBetween size="l">
          <LinkState account={account.data} />
          {isUnderWay(account.data) ? (
            <LoginUnderWay account={account.data} busy={action.isPending} onCancel={() => action.mutate('cancel')} />
          ) : (
            <StartLogin
              account={account.data}
              busy={action.isPending}
              onStart={() => action.mutate('start')}
              onUnlink={() => action.mutate('unlink')}
            />
          )}
        </SpaceBetween>
      </Container>
    </SpaceBetween>
  );
}
