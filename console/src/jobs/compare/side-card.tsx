import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import { PageError } from '../../page/page-error.tsx';
import { AttemptSelect } from '../output/attempt-select.tsx';
import type { SideRef } from '../queries/compare-address.ts';
import type { Job } from '../queries/job-query.ts';
import { attemptOf } from '../status/attempt-times.ts';
import { JobStatus } from '../status/job-status.tsx';
import { jobHeading } from '../text/prompt-headline.ts';

interface SideCardProps {
  readonly name: string;
  readonly sideRef: SideRef;
  readonly job: UseQueryResult<Job>;
  readonly onChange: (ref: SideRef) => void;
}

/** The job and attempt of one side, with a choice of attempts. */
export function SideCard({ name, sideRef, job, onChange }: SideCardProps) {
  const { id } = sideRef;
  return (
    <Container header={<Header variant="h2">{name}</Header>}>
      {job.data ? (
        <KnownSide name={name} sideRef={sideRef} job={job.data} onChange={onChange} />
      ) : job.error ? (
        <PageError error={job.error} what={`Job ${id}`} retry={() => void job.refetch()} />
      ) : (
        <Spinner />
      )}
    </Container>
  );
}

function KnownSide({ name, sideRef, job, onChange }: Omit<SideCardProps, 'job'> & { job: Job }) {
  const { id, attempt = job.attempt } = sideRef;
  const status = attemptOf(job, attempt)?.status;
  return (
    <SpaceBetween size="xs">
      <Link className="job-link compare-title" to={`/jobs/${id}`}>
        {jobHeading(job)}
      </Link>
      <code>{id}</code>
      {attempt > job.attempt ? (
        <Alert
          type="warning"
          header={`The job has no attempt ${attempt}`}
          action={<Button onClick={() => onChange({ id })}>Show the newest</Button>}
        >
          {job.attempt === 0 ? 'The job has not run yet.' : `Its newest attempt is ${job.attempt}.`}
        </Alert>
      ) : (
        <SpaceBetween size="xs">
          {/* An attempt without an outcome leaves no state to show: the facts below explain it. */}
          {attempt === 0 ? (
            <JobStatus status={job.status} />
          ) : (
            status && status !== 'QUEUED' && <JobStatus status={status} />
          )}
          <AttemptSelect
            newest={job.attempt}
            selected={attempt}
            label={`Attempt of ${name}`}
            onSelect={(chosen) => onChange({ id, ...(chosen !== undefined && { attempt: chosen }) })}
          />
        </SpaceBetween>
      )}
    </SpaceBetween>
  );
}
