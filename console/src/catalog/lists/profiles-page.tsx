import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayAdminister } from '../../api/session.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { usePageTitle } from '../../page/page-title.ts';
import { Part } from '../../page/part.tsx';
import { RoleNote } from '../../page/role-note.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { ListPage } from '../../tables/list-page.tsx';
import { type Profile, profilesQuery } from '../catalog-queries.ts';
import { ConfiguredActions } from './configured-actions.tsx';
import { entryActions } from './entry-actions.tsx';
import { ItemSource } from './item-source.tsx';

const DeleteEntry = lazyPart(() => import('./delete-entry.tsx'), 'DeleteEntry');

/** The profiles: how jobs are run. */
export function ProfilesPage() {
  usePageTitle('Profiles');
  const profiles = useInfiniteQuery(profilesQuery);
  const mayAdminister = useMayAdminister();
  const [toDelete, setToDelete] = useState<Profile>();
  const actions = entryActions<Profile>({ list: 'profiles', nameOf: ({ name }) => name, onDelete: setToDelete });
  return (
    <>
      <ListPage
        title="Profiles"
        description={
          <>
            A profile defines which agent runs a job, and how. A job's settings take precedence.
            <RoleNote needs="admin" what="profiles" />
          </>
        }
        actions={<ConfiguredActions create="Create profile" path="/profiles/new" />}
        list={profiles}
        columns={mayAdminister ? [...COLUMNS, actions] : COLUMNS}
        trackBy={(profile) => profile.name}
        empty={<EmptyList title="No profiles" />}
      />
      {toDelete && (
        <Part>
          <DeleteEntry what="profile" name={toDelete.name} onDone={() => setToDelete(undefined)} />
        </Part>
      )}
    </>
  );
}

const COLUMNS: TableProps.ColumnDefinition<Profile>[] = [
  {
    id: 'name',
    header: 'Profile',
    isRowHeader: true,
    minWidth: 110,
    cell: (profile) => (
      <>
        <code>{profile.name}</code> {profile.is_default && <Badge color="blue">default</Badge>}
      </>
    ),
  },
  {
    id: 'agent',
    header: 'Agent',
    minWidth: 110,
    cell: ({ agent, vendor, model }) => (
      <>
        {vendor === 'practice' ? `${agent}, practice vendor` : agent}
        {agent !== 'shell' && (
          <Box variant="small" display="block">
            {model ?? 'Default model'}
          </Box>
        )}
      </>
    ),
  },
  {
    id: 'args',
    header: 'Arguments',
    minWidth: 105,
    cell: ({ args }) => (args.length ? <code>{args.join(' ')}</code> : '-'),
  },
  { id: 'env', header: 'Environment', minWidth: 150, cell: ({ env }) => <Variables env={env} /> },
  { id: 'sandbox', header: 'Sandbox', minWidth: 90, cell: ({ sandbox }) => sandbox },
  {
    id: 'timeout',
    header: 'Timeout',
    minWidth: 90,
    cell: ({ timeout, timeout_unit }) => (timeout === null ? 'No limit' : `${timeout} ${timeout_unit}`),
  },
  { id: 'retries', header: 'Retries', minWidth: 80, cell: ({ retries }) => retries },
  { id: 'concurrency', header: 'Concurrency', minWidth: 90, cell: ({ concurrency }) => concurrency ?? 'No limit' },
  {
    id: 'source',
    header: 'Source',
    minWidth: 110,
    cell: (profile) => <ItemSource source={profile.source} at={profile.updated_at} />,
  },
];

function Variables({ env }: { env: Profile['env'] }) {
  const entries = Object.entries(env);
  if (entries.length === 0) return '-';
  return entries.map(([name, value]) => (
    <div key={name}>
      <code>{name}</code>: {typeof value === 'string' ? value : <em>secret {value.secret}</em>}
    </div>
  ));
}
