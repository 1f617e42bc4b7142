import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { Schemas } from '../../api/client.ts';
import type { Job } from './job-query.ts';
import { TextBlock } from './text-block.tsx';

/** A summary of what was changed; the whole diff is among the attachments. */
export function JobChanges({ job, changes }: { job: Job; changes: Schemas['RepositoryChanges'] }) {
  const { branch, base, head, stat, files, insertions, deletions, truncated } = changes;
  const diff = `/api/v1/jobs/${encodeURIComponent(job.id)}/attachments/${encodeURIComponent('.promptq%2Fchanges.diff')}`;
  return (
    <SpaceBetween size="m">
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Branch', value: branch ?? 'none' },
          { label: 'Began at', value: <code>{base.slice(0, 12)}</code> },
          { label: 'Is at', value: <code>{head.slice(0, 12)}</code> },
          { label: 'Changed', value: `${files} files, +${insertions} -${deletions}` },
        ]}
      />
      <TextBlock title="Changed files" text={stat} none="Nothing was changed." />
      <a className="job-link" href={diff} download>
        Download the diff
      </a>
      {truncated && <StatusIndicator type="warning">The kept diff is not all of it.</StatusIndicator>}
    </SpaceBetween>
  );
}
