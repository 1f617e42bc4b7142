import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ApiError } from '../../api/api-error.ts';
import { api, dataOf } from '../../api/client.ts';
import { bindingsQuery } from '../../bindings/binding-queries.ts';
import { diagramPath } from '../../diagrams/diagram-queries.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { WriteFailure } from '../../feedback/write-failure.tsx';
import type { Project } from '../catalog-queries.ts';

/** Deletes an empty project, or shows why it can't be deleted. */
export function DeleteProject({ project, onDone }: { project: Project; onDone: () => void }) {
  const client = useQueryClient();
  const bindings = useQuery({ ...bindingsQuery, refetchOnMount: 'always' });
  const remove = useMutation({
    mutationFn: async () => await dataOf(api.DELETE('/api/v1/projects/{id}', { params: { path: { id: project.id } } })),
    onSuccess: async () => {
      notify({ type: 'success', header: `The project “${project.name}” was deleted` });
      onDone();
      await client.invalidateQueries();
    },
    onError: async () => await client.invalidateQueries(),
  });
  const rejected = remove.error && contentsIn(remove.error);
  const jobs = Object.values(project.job_counts).reduce((sum, count) => sum + count, 0);
  // Those of an earlier read may have been deleted since.
  const known = bindings.error ? undefined : bindings.data?.items;
  const bound = known?.filter(({ project_id }) => project_id === project.id).length ?? 0;
  const contents = rejected ?? { jobs, bindings: bound, diagrams: 0 };
  if (contents.jobs + contents.bindings + contents.diagrams > 0 && !bindings.isFetching)
    return <NotEmpty project={project} {...contents} onDone={onDone} />;
  return (
    <ConfirmDialog
      action="Delete project"
      busy={bindings.isFetching || remove.isPending}
      onDismiss={onDone}
      onConfirm={() => remove.mutate()}
    >
      <SpaceBetween size="m">
        {remove.error && (
          <WriteFailure
            error={remove.error}
            rejected="The project was not deleted"
            done="the project was deleted"
            next="The list behind this dialog shows whether it still exists."
          />
        )}
        {bindings.error && (
          <Alert type="warning" header="Its deploy bindings could not be read">
            {bindings.error.message} If it has any, the service rejects the deletion.
          </Alert>
        )}
        <Box>
          “{project.name}” has no jobs{known && ' and no deploy bindings'}. Its settings and parameters are deleted.
          Statistics keep the usage of its jobs. A job that names the project creates it again.
        </Box>
      </SpaceBetween>
    </ConfirmDialog>
  );
}

interface NotEmptyProps extends Contents {
  readonly project: Project;
  readonly onDone: () => void;
}

function NotEmpty({ project, jobs, bindings, diagrams, onDone }: NotEmptyProps) {
  const parts = [
    jobs > 0 && counted(jobs, 'job'),
    bindings > 0 && counted(bindings, 'deploy binding'),
    diagrams > 0 && counted(diagrams, 'diagram'),
  ];
  return (
    <Modal
      visible
      header="The project is not empty"
      closeAriaLabel="Close"
      onDismiss={onDone}
      footer={
        <Box float="right">
          <Button variant="primary" onClick={onDone}>
            OK
          </Button>
        </Box>
      }
    >
      <SpaceBetween size="s">
        <Box>
          “{project.name}” still has {WORDS.format(parts.filter((part) => part !== false))}. Only an empty project can
          be deleted.
        </Box>
        {bindings > 0 && (
          <Box>
            Delete its <Link to="/bindings">deploy bindings</Link> first.
          </Box>
        )}
        {diagrams > 0 && (
          <Box>
            Delete its <Link to={diagramPath(project.id)}>diagrams</Link> first.
          </Box>
        )}
        {jobs > 0 && (
          <Box>
            <Link to={`/jobs?project=${encodeURIComponent(project.id)}`}>Its jobs</Link> are deleted when their
            retention ends. Without a retention period they are kept. A draft can be moved to another project.
          </Box>
        )}
      </SpaceBetween>
    </Modal>
  );
}

interface Contents {
  readonly jobs: number;
  readonly bindings: number;
  readonly diagrams: number;
}

const WORDS = new Intl.ListFormat('en');

/** What the project still has, from the error response. */
function contentsIn(error: Error): Contents | undefined {
  const { jobs, bindings, diagrams = 0 } = error instanceof ApiError ? error.details : {};
  const isKnown = typeof jobs === 'number' && typeof bindings === 'number' && typeof diagrams === 'number';
  return isKnown ? { jobs, bindings, diagrams } : undefined;
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
