import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { Schemas } from '../../api/client.ts';
import { sizeText } from '../../format/size-text.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { Part } from '../../page/part.tsx';
import { diffAddress } from '../changes/read-diff.ts';
import type { Job } from '../queries/job-query.ts';

const JobDiff = lazyPart(() => import('../changes/job-diff.tsx'), 'JobDiff');

/** The changes of the newest attempt to its project's repository. */
export function JobChanges({ job, changes }: { job: Job; changes: Schemas['RepositoryChanges'] }) {
  const { branch, base, head, files, insertions, deletions, truncated, masked } = changes;
  return (
    <SpaceBetween size="m">
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Branch', value: branch ?? 'none' },
          { label: 'Base commit', value: <code>{base.slice(0, 12)}</code> },
          { label: 'Current commit', value: <code>{head.slice(0, 12)}</code> },
          { label: 'Changed', value: `${files} ${files === 1 ? 'file' : 'files'}, +${insertions} −${deletions}` },
        ]}
      />
      {files === 0 ? (
        <Box color="text-body-secondary">No files were changed.</Box>
      ) : (
        <SpaceBetween size="s">
          <Button iconName="download" href={diffAddress(job.id)} download>
            Download the diff
          </Button>
          {truncated && (
            <StatusIndicator type="warning">
              The diff is incomplete: only its first {sizeText(LIMITS.changes.diffBytes)} are stored.
            </StatusIndicator>
          )}
          {masked && (
            <StatusIndicator type="warning">
              Secrets in the diff are masked: it is not what the job wrote, and can't be applied.
            </StatusIndicator>
          )}
          <Part loading={<Spinner />}>
            <JobDiff job={job} changes={changes} />
          </Part>
        </SpaceBetween>
      )}
    </SpaceBetween>
  );
}
