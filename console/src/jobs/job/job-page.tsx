import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { JobOrigin } from '../../automations/job-origin.tsx';
import { MessageSourceContext } from '../../diagrams/message-source.ts';
import { PageError } from '../../page/page-error.tsx';
import { PageLoading } from '../../page/page-loading.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { JobQuestion } from '../../questions/job-question.tsx';
import { JobActions } from '../actions/job-actions.tsx';
import { jobQuery } from '../queries/job-query.ts';
import { JobStatus } from '../status/job-status.tsx';
import { RunTime } from '../status/run-time.tsx';
import { jobHeading } from '../text/prompt-headline.ts';
import { DeletedOutput } from './deleted-output.tsx';
import { JobCrumbs } from './job-crumbs.tsx';
import { JobMessages } from './job-messages.tsx';
import { JobProgress } from './job-progress.tsx';
import { JobTabs } from './job-tabs.tsx';
import { WhyWaiting } from './why-waiting.tsx';
import './job-page.css';

/** One job: its state and reason, its output, its results. */
export function JobPage() {
  const { id = '' } = useParams();
  const job = useQuery(jobQuery(id));
  usePageTitle(job.data === undefined ? 'Job' : jobHeading(job.data).slice(0, 60));
  if (job.error && !job.data) {
    return (
      <SpaceBetween size="m">
        <JobCrumbs id={id} />
        <Header variant="h1">Job</Header>
        <PageError error={job.error} what="The job" retry={() => void job.refetch()} />
      </SpaceBetween>
    );
  }
  if (!job.data) return <PageLoading what="the job" />;
  return (
    <SpaceBetween size="m">
      <JobCrumbs id={id} />
      <Header
        variant="h1"
        actions={<JobActions key={`actions-${id}`} job={job.data} />}
        description={
          <SpaceBetween size="s" direction="horizontal">
            <JobStatus status={job.data.status} cancelling={job.data.cancel_requested_at !== null} />
            <Link className="job-link" to={`/jobs?${new URLSearchParams({ project: job.data.project_id })}`}>
              {job.data.project}
            </Link>
            <span>{job.data.profile}</span>
            {(job.data.automation !== null || job.data.template !== null) && <JobOrigin job={job.data} />}
            {job.data.attempt > 0 && <span>Attempt {job.data.attempt}</span>}
            {job.data.started_at !== null && job.data.status !== 'QUEUED' && (
              <RunTime job={job.data} asOf={job.error ? job.dataUpdatedAt : undefined} />
            )}
          </SpaceBetween>
        }
      >
        <span className="job-title" title={jobHeading(job.data)}>
          {jobHeading(job.data)}
        </span>
      </Header>
      <WhyWaiting job={job.data} />
      <DeletedOutput job={job.data} />
      <JobProgress job={job.data} />
      <JobQuestion job={job.data} />
      <JobMessages key={`messages-${id}`} job={job.data} />
      <MessageSourceContext value={{ jobId: id, projectId: job.data.project_id }}>
        <JobTabs key={id} job={job.data} />
      </MessageSourceContext>
    </SpaceBetween>
  );
}
