import Alert from '@cloudscape-design/components/alert';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { ListTable } from '../tables/list-table.tsx';
import { type Platform, platformQuery } from './environment-query.ts';

type Agent = Platform['agents'][number];

/** What this version can do: its agents, what is on here, and what it does not have. */
export function PlatformFacts() {
  const { data, error } = useQuery(platformQuery);
  if (data === undefined)
    return error === null ? null : (
      <Alert type="error" header="What the service can do could not be loaded">
        {error.message}
      </Alert>
    );
  const { agents, features, stores, missing, commit } = data;
  return (
    <SpaceBetween size="l">
      <ListTable
        variant="container"
        wrapLines
        trackBy="name"
        ariaLabels={{ tableLabel: 'Agents' }}
        header={<Header variant="h2">Agents</Header>}
        items={agents}
        columnDefinitions={AGENT_COLUMNS}
      />
      <Container header={<Header variant="h2">Features</Header>}>
        <KeyValuePairs
          columns={3}
          items={features.map(({ name, on, detail }) => ({
            label: labelOf(name),
            value: (
              <>
                <StatusIndicator type={on ? 'success' : 'stopped'}>{on ? 'On' : 'Off'}</StatusIndicator>
                <div>{sentence(detail)}</div>
              </>
            ),
          }))}
        />
      </Container>
      <ExpandableSection variant="container" headerText="Stores and version">
        <KeyValuePairs
          columns={3}
          items={[
            ...stores.map(({ name, service, region, holds }) => ({
              label: labelOf(name),
              value: `${service}, ${region}: ${holds}`,
            })),
            { label: 'Commit', value: commit === null ? 'Not known' : <code>{commit}</code> },
          ]}
        />
      </ExpandableSection>
      <ExpandableSection
        variant="container"
        headerText="Not in this version"
        headerDescription="What clients may look for, and why it is not there."
      >
        <KeyValuePairs
          columns={3}
          items={missing.map(({ name, reason }) => ({ label: labelOf(name), value: reason }))}
        />
      </ExpandableSection>
    </SpaceBetween>
  );
}

const ABILITIES = [
  ['resume', 'Sessions continue'],
  ['steer', 'Messages'],
  ['ask', 'Questions and tools'],
  ['schema', 'Output schemas'],
  ['gateway', 'Model gateway'],
] as const;

const AGENT_COLUMNS: TableProps.ColumnDefinition<Agent>[] = [
  { id: 'name', header: 'Agent', isRowHeader: true, minWidth: 100, cell: ({ name }) => name },
  { id: 'version', header: 'Version', minWidth: 130, cell: (agent) => versionText(agent) },
  ...ABILITIES.map(([ability, header]) => ({
    id: ability,
    header,
    minWidth: 100,
    cell: ({ capabilities }: Agent) => (capabilities[ability] ? 'Yes' : 'No'),
  })),
];

function versionText({ installed, versions }: Agent): string {
  if (!installed) return 'Not installed';
  return versions.length > 0 ? versions.join(', ') : 'Not reported';
}

/** `deploy-commands` as `Deploy commands`. */
function labelOf(name: string): string {
  return sentence(name === 'cloudfront' ? 'CloudFront' : name.replaceAll('-', ' '));
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
