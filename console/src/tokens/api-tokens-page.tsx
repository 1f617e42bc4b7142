import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NOT_ENFORCED } from '../../../lib/contract/scopes.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { AdminsOnly } from '../page/admins-only.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { ScopesNote } from './scopes-note.tsx';
import { tokenColumns } from './token-columns.tsx';
import { type Token, type TokenChange, tokensQuery, useChangeToken } from './token-queries.ts';

const CreateToken = lazyPart(() => import('./create-token.tsx'), 'CreateToken');

/** The API tokens: create, suspend and revoke them. */
export function ApiTokensPage() {
  usePageTitle('API tokens');
  return (
    <AdminsOnly title="API tokens">
      <TokenList />
    </AdminsOnly>
  );
}

function TokenList() {
  const tokens = useQuery(tokensQuery);
  const change = useChangeToken();
  const [creating, setCreating] = useState(false);
  const [asked, setAsked] = useState<{ change: TokenChange; token: Token }>();
  const onChange = (wanted: TokenChange, token: Token) =>
    wanted === 'resume' ? change.mutate({ change: wanted, token }) : setAsked({ change: wanted, token });
  if (tokens.error && !tokens.data)
    return <PageError error={tokens.error} what="The tokens" retry={() => void tokens.refetch()} />;
  return (
    <>
      <ListTable
        variant="full-page"
        stickyHeader
        wrapLines
        trackBy="id"
        ariaLabels={{ tableLabel: 'API tokens' }}
        header={
          <SpaceBetween size="s">
            <Header
              variant="h1"
              counter={tokens.data && `(${tokens.data.items.length})`}
              description="Programs call the API with a token. Create one per program, with no more scopes than it needs."
              actions={
                <Button variant="primary" onClick={() => setCreating(true)}>
                  Create token
                </Button>
              }
            >
              API tokens
            </Header>
            <ScopesNote text={NOT_ENFORCED.list} />
          </SpaceBetween>
        }
        items={tokens.data?.items ?? []}
        loading={tokens.isPending}
        loadingText="Loading the tokens"
        columnDefinitions={tokenColumns(onChange)}
        empty={
          <EmptyList title="No tokens yet" action={<Button onClick={() => setCreating(true)}>Create token</Button>}>
            Create one for each program that calls the API.
          </EmptyList>
        }
      />
      {creating && (
        <Part>
          <CreateToken onDone={() => setCreating(false)} />
        </Part>
      )}
      {asked && (
        <ConfirmDialog
          action={asked.change === 'suspend' ? 'Suspend token' : 'Revoke token'}
          keep="Cancel"
          busy={change.isPending}
          onDismiss={() => setAsked(undefined)}
          onConfirm={() => change.mutate(asked, { onSettled: () => setAsked(undefined) })}
        >
          {asked.change === 'suspend'
            ? `Requests with “${asked.token.name}” are rejected until you resume it.`
            : `Requests with “${asked.token.name}” are rejected immediately. This can't be undone.`}
        </ConfirmDialog>
      )}
    </>
  );
}
