import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { hasEditorScheme } from '../../../../lib/contract/input/editor-link.ts';
import { api, dataOf } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import type { Job } from '../queries/job-query.ts';
import '../text/job-text.css';

type Deployment = Job['deployments'][number];

/** Status indicators by state of a deployment. */
export const DEPLOYMENT_TYPES = {
  pending: 'pending',
  running: 'in-progress',
  delivered: 'success',
  succeeded: 'success',
  failed: 'error',
  skipped: 'stopped',
} as const satisfies Record<Deployment['state'], StatusIndicatorProps.Type>;

const PENDING_REASONS = {
  thread_busy: 'Waits for a later turn of the thread, or for a fork that copies the folder.',
  folder_busy: 'Waits for another job in the folder.',
} as const satisfies Record<NonNullable<Deployment['pending_reason']>, string>;

/** The deployments of a job. */
export function JobDeployments({ job }: { job: Job }) {
  const mayAct = useMayAct();
  const again = useRetryDeployment(job.id);
  return (
    <ListTable
      variant="embedded"
      items={job.deployments}
      ariaLabels={{ tableLabel: 'Deployments' }}
      empty="No deployments. Deploy bindings run when a job succeeds."
      columnDefinitions={[
        {
          id: 'name',
          header: 'Binding',
          isRowHeader: true,
          cell: ({ name, mode }) => (name === mode ? name : `${name} (${mode})`),
        },
        {
          id: 'state',
          header: 'State',
          cell: ({ state }) => <StatusIndicator type={DEPLOYMENT_TYPES[state]}>{state}</StatusIndicator>,
        },
        { id: 'attempt', header: 'After attempt', cell: ({ attempt }) => attempt },
        { id: 'tries', header: 'Tried', cell: ({ attempts }) => (attempts === 1 ? 'once' : `${attempts} times`) },
        { id: 'finished', header: 'Finished', cell: ({ finished_at }) => <TimeAgo at={finished_at} /> },
        { id: 'outcome', header: 'Outcome', minWidth: 280, cell: (deployment) => <Outcome deployment={deployment} /> },
        ...(mayAct && job.status === 'SUCCEEDED'
          ? [
              {
                id: 'actions',
                header: 'Actions',
                minWidth: 110,
                cell: ({ binding, name, state }: Deployment) => (
                  <Button
                    variant="inline-link"
                    ariaLabel={`Retry deployment ${name}`}
                    disabled={state === 'pending' || state === 'running'}
                    loading={again.isPending && again.variables === binding}
                    onClick={() => again.mutate(binding)}
                  >
                    Retry deployment
                  </Button>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

function Outcome({ deployment }: { deployment: Deployment }) {
  const { error, last_status, next_attempt_at, pending_reason, open_url, log, log_truncated } = deployment;
  return (
    <SpaceBetween size="xxs">
      {error !== undefined && <span>{error}</span>}
      {pending_reason !== undefined && <span>{PENDING_REASONS[pending_reason]}</span>}
      {last_status !== undefined && <span>Responded with {last_status}</span>}
      {next_attempt_at !== undefined && (
        <span>
          Next retry <TimeAgo at={next_attempt_at} />
        </span>
      )}
      {open_url !== undefined && hasEditorScheme(open_url) ? (
        <a className="job-link" href={open_url} target="_blank" rel="noopener noreferrer">
          Open in the editor
        </a>
      ) : (
        open_url
      )}
      {log !== undefined && log !== '' && (
        <ExpandableSection headerText={log_truncated === true ? 'End of the log' : 'Log'}>
          <pre className="job-text">{log}</pre>
        </ExpandableSection>
      )}
    </SpaceBetween>
  );
}

/** Retries a deployment of a job that succeeded, given by the ID of its binding. */
function useRetryDeployment(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (binding: string) =>
      await dataOf(api.POST('/api/v1/jobs/{id}/deployments/{binding}/retry', { params: { path: { id, binding } } })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'Could not retry the deployment',
          done: 'the deployment was retried',
          next: 'This page reads the job again. Check the state of the deployment before you repeat the retry.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: ['job', id] }),
  });
}
