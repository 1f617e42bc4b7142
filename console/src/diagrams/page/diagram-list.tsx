import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useMayAct } from '../../api/session.ts';
import { projectsQuery } from '../../form/catalog-choices.ts';
import { sizeText } from '../../format/size-text.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { PageError } from '../../page/page-error.tsx';
import { RoleNote } from '../../page/role-note.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import { type DiagramSummary, diagramPath, diagramsQuery } from '../diagram-queries.ts';
import { DiagramForm } from './diagram-form.tsx';

/** The diagrams of a project. */
export function DiagramList({ project }: { project: string }) {
  const navigate = useNavigate();
  const diagrams = useQuery(diagramsQuery(project));
  const mayAct = useMayAct();
  const [isAdding, setAdding] = useState(false);
  if (diagrams.error && !diagrams.data)
    return <PageError error={diagrams.error} what="The diagrams" retry={() => void diagrams.refetch()} />;
  const items = diagrams.data?.items ?? [];
  const add = mayAct && <Button onClick={() => setAdding(true)}>New diagram</Button>;
  return (
    <SpaceBetween size="m">
      <ListTable
        variant="full-page"
        wrapLines
        trackBy="name"
        ariaLabels={{ tableLabel: 'Diagrams' }}
        header={
          <Header
            variant="h1"
            counter={diagrams.data && `(${items.length})`}
            description={
              <>
                Mermaid diagrams of a project. Its jobs find them as files in <code>$PROMPTQ_CONTEXT/diagrams</code>.
                <RoleNote needs="operator" what="diagrams" />
              </>
            }
            actions={
              mayAct && (
                <Button variant="primary" onClick={() => setAdding(true)}>
                  New diagram
                </Button>
              )
            }
          >
            Diagrams
          </Header>
        }
        filter={<ProjectChoice project={project} onChoose={(id) => void navigate(diagramPath(id))} />}
        items={items}
        loading={diagrams.isPending}
        loadingText="Loading the diagrams"
        columnDefinitions={COLUMNS}
        empty={
          <EmptyList title="No diagrams yet" action={add}>
            {mayAct ? 'Write one, or keep one that an agent has answered.' : 'An operator can keep some.'}
          </EmptyList>
        }
      />
      {isAdding && (
        <DiagramForm
          project={project}
          taken={items.map(({ name }) => name)}
          onDismiss={() => setAdding(false)}
          onWritten={({ name }) => void navigate(diagramPath(project, name))}
        />
      )}
    </SpaceBetween>
  );
}

function ProjectChoice({ project, onChoose }: { project: string; onChoose: (id: string) => void }) {
  const projects = useQuery(projectsQuery);
  const known = projects.data?.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const chosen = known.find(({ value, label }) => value === project || label === project);
  const options = chosen === undefined ? [{ value: project, label: project }, ...known] : known;
  return (
    <Select
      inlineLabelText="Project"
      selectedOption={chosen ?? { value: project, label: project }}
      options={options}
      filteringType={options.length > 10 ? 'auto' : 'none'}
      filteringAriaLabel="Find a project"
      statusType={projects.isPending ? 'loading' : 'finished'}
      onChange={({ detail }) => onChoose(detail.selectedOption.value ?? project)}
    />
  );
}

const COLUMNS: TableProps.ColumnDefinition<DiagramSummary>[] = [
  {
    id: 'name',
    header: 'Name',
    isRowHeader: true,
    minWidth: 180,
    cell: ({ project_id, name }) => (
      <Link className="job-link" to={diagramPath(project_id, name)}>
        {name}
      </Link>
    ),
  },
  { id: 'size', header: 'Size', minWidth: 80, cell: ({ bytes }) => sizeText(bytes) },
  {
    id: 'source',
    header: 'Made by',
    minWidth: 160,
    cell: ({ source_job }) =>
      source_job === null ? (
        '–'
      ) : (
        <Link className="job-link" to={`/jobs/${source_job}`}>
          {source_job}
        </Link>
      ),
  },
  { id: 'updated', header: 'Changed', minWidth: 100, cell: ({ updated_at }) => <TimeAgo at={updated_at} /> },
];
