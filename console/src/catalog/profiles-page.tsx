import Badge from '@cloudscape-design/components/badge';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyList } from '../layout/empty-list.tsx';
import { usePageTitle } from '../layout/page-title.ts';
import { type Profile, profilesQuery } from './catalog-queries.ts';
import { CatalogTable } from './catalog-table.tsx';
import { ItemSource } from './item-source.tsx';

/** The profiles: how jobs are run. */
export function ProfilesPage() {
  usePageTitle('Profiles');
  const profiles = useInfiniteQuery(profilesQuery);
  return (
    <CatalogTable
      title="Profiles"
      description="A profile says which agent runs a job, and how. What a job sets itself comes first."
      isConfigured
      list={profiles}
      columns={COLUMNS}
      trackBy={(profile) => profile.name}
      empty={<EmptyList title="No profiles" />}
    />
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
    minWidth: 90,
    cell: ({ agent, vendor }) => (vendor === 'practice' ? `${agent}, practice vendor` : agent),
  },
  {
    id: 'model',
    header: 'Model',
    minWidth: 110,
    cell: ({ agent, model }) => model ?? (agent === 'shell' ? '-' : "Agent's own"),
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
    cell: ({ timeout, timeout_unit }) => (timeout === null ? 'None' : `${timeout} ${timeout_unit}`),
  },
  { id: 'retries', header: 'Retries', minWidth: 80, cell: ({ retries }) => retries },
  { id: 'concurrency', header: 'Concurrency', minWidth: 90, cell: ({ concurrency }) => concurrency ?? 'No limit' },
  {
    id: 'source',
    header: 'From',
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
