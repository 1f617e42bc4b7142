import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { ConfirmDialog } from '../../feedback/confirm-dialog.tsx';
import { notify } from '../../feedback/notices.tsx';
import { writeFailure } from '../../feedback/write-failure.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import type { Job } from '../queries/job-query.ts';
import { treeQuery } from '../queries/tree-query.ts';
import { JobStatus } from '../status/job-status.tsx';

/** Characters of a prompt. */
const SHOWN = 80;

/** The job that a client created, with all jobs that descend from it, of which this one is shown. */
export function JobTree({ job }: { job: Job }) {
  const { data: jobs = [], error, isPending } = useQuery(treeQuery(job));
  const open = jobs.filter(({ status, cancel_requested_at }) => !isTerminal(status) && cancel_requested_at === null);
  return (
    <SpaceBetween size="m">
      {open.length > 0 && <CancelAll top={jobs[0]?.id ?? job.id} count={open.length} />}
      <ListTable
        variant="embedded"
        trackBy="id"
        items={jobs}
        loading={isPending}
        loadingText="Loading the tree"
        ariaLabels={{ tableLabel: 'Tree of jobs' }}
        empty={error?.message ?? 'No jobs.'}
        columnDefinitions={[
          {
            id: 'job',
            header: 'Job',
            isRowHeader: true,
            cell: ({ id, title, prompt_preview, depth }) => (
              <div style={{ paddingInlineStart: `${depth * 1.25}rem` }}>
                {id === job.id ? (
                  <Box variant="strong">{title ?? prompt_preview.slice(0, SHOWN)} (this job)</Box>
                ) : (
                  <Link className="job-link" to={`/jobs/${id}?tab=tree`}>
                    {title ?? prompt_preview.slice(0, SHOWN)}
                  </Link>
                )}
              </div>
            ),
          },
          {
            id: 'status',
            header: 'State',
            cell: ({ status, cancel_requested_at }) => (
              <JobStatus status={status} cancelling={cancel_requested_at !== null} />
            ),
          },
          { id: 'depth', header: 'Depth', cell: ({ depth }) => (depth === 0 ? 'root' : depth) },
          { id: 'reason', header: 'Reason', cell: ({ state_reason }) => state_reason.message },
        ]}
      />
    </SpaceBetween>
  );
}

/** Cancels all jobs of a tree that have not ended. */
function CancelAll({ top, count }: { readonly top: string; readonly count: number }) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const cancel = useMutation({
    mutationFn: async () =>
      await dataOf(api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id: top } }, body: { tree: true } })),
    onError: (error) =>
      notify(
        writeFailure(error, {
          rejected: 'Could not cancel the jobs',
          done: 'the jobs were cancelled',
          next: 'This page reads them again. You can repeat the action.',
        }),
      ),
    onSettled: async () => {
      setAsking(false);
      await client.invalidateQueries();
    },
  });
  if (!useMayAct()) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>Cancel all</Button>
      {isAsking && (
        <ConfirmDialog
          action={count === 1 ? 'Cancel 1 job' : `Cancel ${count} jobs`}
          keep="Keep the jobs"
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate()}
          onDismiss={() => setAsking(false)}
        >
          All jobs of this tree that have not ended are cancelled, and they bring about no further ones. Agents that run
          are asked to stop, and killed after ten seconds. Their output so far is kept.
        </ConfirmDialog>
      )}
    </>
  );
}
