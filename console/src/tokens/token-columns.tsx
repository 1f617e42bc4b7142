import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { TimeAgo } from '../format/time-ago.tsx';
import type { Token, TokenChange } from './token-queries.ts';

/** Update interval (ms) of a token's last use, so the shown time may be this old. */
const LAST_USED_INTERVAL_MS = 3_600_000;

/** The columns of the list of tokens. */
export function tokenColumns(
  onChange: (change: TokenChange, token: Token) => void,
): TableProps.ColumnDefinition<Token>[] {
  return [
    { id: 'name', header: 'Name', isRowHeader: true, minWidth: 130, cell: (token) => token.name },
    { id: 'state', header: 'State', minWidth: 110, cell: (token) => <TokenState token={token} /> },
    { id: 'scopes', header: 'Scopes', minWidth: 160, cell: (token) => token.scopes.join(', ') },
    { id: 'created', header: 'Created', minWidth: 110, cell: (token) => <TimeAgo at={token.created_at} /> },
    {
      id: 'expires',
      header: 'Expires',
      minWidth: 110,
      cell: (token) => (token.expires_at === null ? 'Never' : <TimeAgo at={token.expires_at} />),
    },
    {
      id: 'used',
      header: 'Last used',
      minWidth: 110,
      cell: (token) =>
        token.last_used_at === null ? 'Never' : <TimeAgo at={token.last_used_at} within={LAST_USED_INTERVAL_MS} />,
    },
    { id: 'actions', header: 'Actions', minWidth: 160, cell: (token) => <Actions token={token} onChange={onChange} /> },
  ];
}

function TokenState({ token }: { token: Token }) {
  if (token.state === 'revoked') return <StatusIndicator type="stopped">Revoked</StatusIndicator>;
  if (token.expires_at !== null && Date.parse(token.expires_at) <= Date.now())
    return <StatusIndicator type="warning">Expired</StatusIndicator>;
  if (token.state === 'suspended') return <StatusIndicator type="pending">Suspended</StatusIndicator>;
  return <StatusIndicator type="success">Active</StatusIndicator>;
}

function Actions({ token, onChange }: { token: Token; onChange: (change: TokenChange, token: Token) => void }) {
  if (token.state === 'revoked') return '-';
  const other = token.state === 'suspended' ? 'resume' : 'suspend';
  return (
    <SpaceBetween size="xs" direction="horizontal">
      <Button variant="inline-link" ariaLabel={`${LABELS[other]} ${token.name}`} onClick={() => onChange(other, token)}>
        {LABELS[other]}
      </Button>
      <Button variant="inline-link" ariaLabel={`Revoke ${token.name}`} onClick={() => onChange('revoke', token)}>
        {LABELS.revoke}
      </Button>
    </SpaceBetween>
  );
}

const LABELS: Readonly<Record<TokenChange, string>> = { suspend: 'Suspend', resume: 'Resume', revoke: 'Revoke' };
