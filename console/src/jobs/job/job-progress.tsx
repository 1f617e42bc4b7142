import Box from '@cloudscape-design/components/box';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import type { Job } from '../queries/job-query.ts';

/** What the agent of a running job reported last. */
export function JobProgress({ job: { progress } }: { readonly job: Pick<Job, 'progress'> }) {
  if (progress == null) return null;
  const { text, percent } = progress;
  if (percent === null) return <Box color="text-body-secondary">{text}</Box>;
  return <ProgressBar value={percent} description={text} ariaLabel="Progress as the agent reported it" />;
}
