import Alert from '@cloudscape-design/components/alert';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { isEditable } from '../../../../lib/contract/job-actions.ts';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { jobQuery } from '../queries/job-query.ts';
import { statusText } from '../status/job-status.tsx';
import { EditJob } from './edit-job.tsx';

/** Edits a job that has not started. */
export function EditJobPage() {
  usePageTitle('Edit job');
  const { id = '' } = useParams();
  const job = useQuery(jobQuery(id));
  if (job.error && !job.data) return <PageError error={job.error} what="The job" retry={() => void job.refetch()} />;
  if (!job.data) return <PageLoading what="the job" />;
  return (
    <>
      {!isEditable(job.data.status) && (
        <Alert type="warning" header="This job can no longer be edited">
          {`Only drafts and queued jobs can be edited. This one is ${statusText(job.data.status).toLowerCase()}. Your input is still here.`}
        </Alert>
      )}
      <EditJob key={id} job={job.data} />
    </>
  );
}
