import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { useMayAct } from '../../api/session.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { CopyButton } from '../../jobs/text/copy-button.tsx';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { type Diagram, diagramPath, diagramQuery, useDeleteDiagram } from '../diagram-queries.ts';
import { Drawing } from '../drawing.tsx';
import { DiagramForm } from './diagram-form.tsx';

/** One diagram: drawn, and as text. */
export function DiagramView({ project, name }: { project: string; name: string }) {
  const diagram = useQuery(diagramQuery(project, name));
  if (diagram.error && !diagram.data)
    return (
      <SpaceBetween size="m">
        <Header variant="h1">{name}</Header>
        <PageError error={diagram.error} what="The diagram" retry={() => void diagram.refetch()} />
        <Link to={diagramPath(project)}>All diagrams of the project</Link>
      </SpaceBetween>
    );
  if (!diagram.data) return <PageLoading what="the diagram" />;
  return <Opened diagram={diagram.data} />;
}

function Opened({ diagram }: { diagram: Diagram }) {
  const { project_id, project, name, text, source_job, updated_at } = diagram;
  const [isActualSize, setActualSize] = useState(false);
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        actions={
          <SpaceBetween size="xs" direction="horizontal">
            <Button ariaExpanded={isActualSize} onClick={() => setActualSize(!isActualSize)}>
              {isActualSize ? 'Fit to page' : 'Full size'}
            </Button>
            <Changes diagram={diagram} />
          </SpaceBetween>
        }
        description={
          <SpaceBetween size="s" direction="horizontal">
            <Link className="job-link" to={diagramPath(project_id)}>
              {project}
            </Link>
            {source_job !== null && (
              <Link className="job-link" to={`/jobs/${source_job}`}>
                Made by a job
              </Link>
            )}
            <span>
              Changed <TimeAgo at={updated_at} />
            </span>
          </SpaceBetween>
        }
      >
        {name}
      </Header>
      <Container>
        <Drawing text={text} title={`Diagram ${name}`} isActualSize={isActualSize} />
      </Container>
      <ExpandableSection
        variant="container"
        headerText="Text"
        headerActions={<CopyButton text={text} what="text of the diagram" />}
      >
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre className="drawing-text" tabIndex={0}>
          {text}
        </pre>
      </ExpandableSection>
    </SpaceBetween>
  );
}

/** Editing and deleting, for users who may. */
function Changes({ diagram }: { diagram: Diagram }) {
  const { project_id: project, name } = diagram;
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const remove = useDeleteDiagram();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const close = () => setOpen(undefined);
  if (!mayAct) return null;
  return (
    <>
      <SpaceBetween size="xs" direction="horizontal">
        <Button onClick={() => setOpen('edit')}>Edit</Button>
        <Button onClick={() => setOpen('delete')}>Delete</Button>
      </SpaceBetween>
      {open === 'edit' && <DiagramForm project={project} diagram={diagram} onDismiss={close} onWritten={close} />}
      {open === 'delete' && (
        <ConfirmDialog
          action="Delete diagram"
          busy={remove.isPending}
          onDismiss={close}
          onConfirm={() =>
            remove.mutate({ project, name }, { onSuccess: () => void navigate(diagramPath(project)), onError: close })
          }
        >
          Jobs of the project that start from now on don't find “{name}” among their files.
        </ConfirmDialog>
      )}
    </>
  );
}
