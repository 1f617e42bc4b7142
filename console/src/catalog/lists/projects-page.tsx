import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { STATUSES, type Status } from '../../../../lib/contract/statuses.ts';
import { useMayAct } from '../../api/session.ts';
import { diagramPath } from '../../diagrams/diagram-queries.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { statusText } from '../../jobs/status/job-status.tsx';
import { lazyPart } from '../../page/lazy-part.ts';
import { LinkButton } from '../../page/link-button.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { Part } from '../../page/part.tsx';
import { RoleNote } from '../../page/role-note.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { ListPage } from '../../tables/list-page.tsx';
import { type Project, projectsQuery } from '../catalog-queries.ts';

const DeleteProject = lazyPart(() => import('./delete-project.tsx'), 'DeleteProject');
const ProjectParameters = lazyPart(() => import('../../parameters/project-parameters.tsx'), 'ProjectParameters');
const EditProject = lazyPart(() => import('./edit-project.tsx'), 'EditProject');

/** The projects with the counts of their jobs. */
export function ProjectsPage() {
  usePageTitle('Projects');
  const projects = useInfiniteQuery({ ...projectsQuery, refetchInterval: 10_000 });
  const mayAct = useMayAct();
  const [edited, setEdited] = useState<Project>();
  const [parametrized, setParametrized] = useState<Project>();
  const [toDelete, setToDelete] = useState<Project>();
  return (
    <>
      <ListPage
        title="Projects"
        description={
          <>
            The first job that names a project creates it. Its jobs share a workspace.
            <RoleNote needs="operator" what="projects" />
          </>
        }
        list={projects}
        columns={[
          ...COLUMNS,
          actions(mayAct, { onParameters: setParametrized, onEdit: setEdited, onDelete: setToDelete }),
        ]}
        trackBy={(project) => project.id}
        empty={
          <EmptyList title="No projects yet" action={mayAct && <LinkButton to="/jobs/new">New job</LinkButton>}>
            A project is created with the first job that names it.
          </EmptyList>
        }
      />
      {edited && (
        <Part>
          <EditProject project={edited} onDone={() => setEdited(undefined)} />
        </Part>
      )}
      {parametrized && (
        <Part>
          <ProjectParameters project={parametrized} onDone={() => setParametrized(undefined)} />
        </Part>
      )}
      {toDelete && (
        <Part>
          <DeleteProject project={toDelete} onDone={() => setToDelete(undefined)} />
        </Part>
      )}
    </>
  );
}

interface Actions {
  readonly onParameters: (project: Project) => void;
  readonly onEdit: (project: Project) => void;
  readonly onDelete: (project: Project) => void;
}

function actions(mayAct: boolean, { onParameters, onEdit, onDelete }: Actions): TableProps.ColumnDefinition<Project> {
  return {
    id: 'actions',
    header: 'Actions',
    minWidth: 145,
    cell: (project) => (
      <SpaceBetween size="xs" direction="horizontal">
        <Button variant="inline-link" ariaLabel={`Parameters of ${project.name}`} onClick={() => onParameters(project)}>
          Parameters
        </Button>
        <Link className="job-link small-target" to={diagramPath(project.id)} aria-label={`Diagrams of ${project.name}`}>
          Diagrams
        </Link>
        {mayAct && (
          <Button variant="inline-link" ariaLabel={`Settings of ${project.name}`} onClick={() => onEdit(project)}>
            Settings
          </Button>
        )}
        {mayAct && (
          <Button variant="inline-link" ariaLabel={`Delete ${project.name}`} onClick={() => onDelete(project)}>
            Delete
          </Button>
        )}
      </SpaceBetween>
    ),
  };
}

const COLUMNS: TableProps.ColumnDefinition<Project>[] = [
  {
    id: 'name',
    header: 'Project',
    isRowHeader: true,
    minWidth: 180,
    cell: (project) => (
      <>
        <Link to={jobsOf(project)}>{project.name}</Link>
        <Box variant="small" display="block">
          <code>{project.workspace}</code>
        </Box>
      </>
    ),
  },
  ...STATUSES.map((status) => ({
    id: status,
    header: statusText(status),
    minWidth: 70,
    cell: (project: Project) => <Count project={project} status={status} />,
  })),
  { id: 'activity', header: 'Last active', minWidth: 95, cell: (item) => <TimeAgo at={item.last_activity_at} /> },
  { id: 'repository', header: 'Repository', minWidth: 160, cell: (project) => <Repository project={project} /> },
];

function Repository({ project: { repository, ref } }: { project: Project }) {
  if (repository === null) return '–';
  return <code>{ref === null ? repository : `${repository} ${ref}`}</code>;
}

function Count({ project, status }: { project: Project; status: Status }) {
  const count = project.job_counts[status];
  if (count === 0) return '0';
  return (
    <Link
      className="job-link small-target"
      to={`${jobsOf(project)}&status=${status}`}
      aria-label={`${count} ${statusText(status).toLowerCase()} of ${project.name}`}
    >
      {count.toLocaleString('en')}
    </Link>
  );
}

function jobsOf(project: Project): string {
  return `/jobs?project=${encodeURIComponent(project.id)}`;
}
