import Box from '@cloudscape-design/components/box';
import { Link, useSearchParams } from 'react-router';
import { withFilters } from '../queries/job-filters.ts';
import type { JobSummary } from '../queries/jobs-query.ts';
import { reasonDetail } from '../status/job-reason.ts';
import { jobHeadline, promptHeadline } from '../text/prompt-headline.ts';
import './job-title.css';

/** The title of a job, with its prompt, error and tags below. */
export function JobTitle({ job, withTags }: { job: JobSummary; withTags: boolean }) {
  const detail = reasonDetail(job);
  return (
    <>
      <Link className="job-link" to={`/jobs/${job.id}`} data-job={job.id} title={job.prompt_preview}>
        {jobHeadline(job)}
      </Link>
      {job.turn !== null && job.turn > 1 && <span className="job-turn">turn {job.turn}</span>}
      {job.title !== null && (
        <div className="job-subline" title={job.prompt_preview}>
          <Box variant="small">{promptHeadline(job)}</Box>
        </div>
      )}
      {detail !== undefined && (
        <div className="job-subline" title={detail}>
          <Box variant="small" {...(job.status === 'FAILED' && { color: 'text-status-error' as const })}>
            {detail}
          </Box>
        </div>
      )}
      {withTags && job.tags.length > 0 && <TagLinks tags={job.tags} />}
    </>
  );
}

/** Tags, each with a link that filters the list by it. */
function TagLinks({ tags }: { tags: readonly string[] }) {
  const [parameters] = useSearchParams();
  return (
    <ul className="job-tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag}>
          <Link className="job-tag" to={`/jobs?${withFilters(parameters, { tag })}`} title={`Jobs tagged ${tag}`}>
            {tag}
          </Link>
        </li>
      ))}
    </ul>
  );
}
