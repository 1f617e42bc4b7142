import Cards, { type CardsProps } from '@cloudscape-design/components/cards';
import Header from '@cloudscape-design/components/header';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import { Link } from 'react-router';
import { sizeText } from '../format/size-text.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import type { Host } from './environment-query.ts';

/** The workers with a recent heartbeat, and their load. */
export function Workers({ hosts }: { hosts: Host[] }) {
  return (
    <Cards
      items={hosts}
      trackBy="worker_id"
      ariaLabels={{ itemSelectionLabel: () => '', selectionGroupLabel: '', cardsLabel: 'Workers' }}
      cardsPerRow={[{ cards: 1 }, { minWidth: 700, cards: 2 }, { minWidth: 1200, cards: 3 }]}
      header={
        <Header variant="h2" counter={`(${hosts.length})`}>
          Workers
        </Header>
      }
      cardDefinition={{ header: (host) => host.host, sections: SECTIONS }}
      empty={
        <EmptyList title="No worker is running">
          In the cloud, a worker starts when there is work and stops after it has been idle.
        </EmptyList>
      }
    />
  );
}

const SECTIONS: CardsProps.SectionDefinition<Host>[] = [
  { id: 'jobs', header: 'Jobs', content: (host) => <RunningJobs host={host} /> },
  { id: 'memory', content: ({ memory }) => <Usage label="Memory" space={memory} /> },
  { id: 'storage', content: ({ storage }) => <Usage label="Work folder storage" space={storage} /> },
  {
    id: 'cpu',
    header: 'CPU',
    width: 50,
    content: ({ cpu }) =>
      cpu ? `${cpu.count} × ${cpu.architecture}, load ${cpu.load_1m.toFixed(2)}` : 'Not reported yet',
  },
  { id: 'version', header: 'Version', width: 50, content: (host) => versionText(host) },
  { id: 'started', header: 'Started', width: 50, content: (host) => <TimeAgo at={host.started_at} /> },
  { id: 'seen', header: 'Last heartbeat', width: 50, content: (host) => <TimeAgo at={host.seen_at} /> },
];

function RunningJobs({ host }: { host: Host }) {
  const { slots, running_job_ids: ids } = host;
  return (
    <>
      {ids.length} of {slots} slots in use
      {ids.map((id) => (
        <div key={id}>
          <Link to={`/jobs/${id}`}>{id}</Link>
        </div>
      ))}
    </>
  );
}

function Usage({ label, space }: { label: string; space: Host['memory'] }) {
  if (space === null) return `${label}: not reported yet`;
  const used = space.total_bytes - space.free_bytes;
  return (
    <ProgressBar
      label={label}
      value={space.total_bytes === 0 ? 0 : (used / space.total_bytes) * 100}
      additionalInfo={`${sizeText(used)} of ${sizeText(space.total_bytes)} used`}
    />
  );
}

function versionText({ version, node_version, platform }: Host): string {
  return [version, node_version && `Node ${node_version.replace(/^v/, '')}`, platform].filter(Boolean).join(', ');
}
