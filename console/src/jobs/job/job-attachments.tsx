import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import { attachmentsQuery, type Job } from '../queries/job-query.ts';

/** The attachments of the newest attempt, with downloads. */
export function JobAttachments({ job }: { job: Job }) {
  const files = useQuery(attachmentsQuery(job));
  if (job.status === 'RUNNING')
    return <Box color="text-body-secondary">Files in $PROMPTQ_ATTACHMENTS are kept when the attempt ends.</Box>;
  if (files.error) return <PageError error={files.error} what="The files" retry={() => void files.refetch()} />;
  if (!files.data) return <Spinner />;
  return (
    <SpaceBetween size="s">
      <ListTable
        variant="embedded"
        trackBy="name"
        items={files.data.items}
        ariaLabels={{ tableLabel: 'Attachments' }}
        empty={
          <EmptyList title="No files">
            Files that the agent writes to the folder $PROMPTQ_ATTACHMENTS are kept when the attempt ends.
          </EmptyList>
        }
        columnDefinitions={[
          {
            id: 'path',
            header: 'File',
            isRowHeader: true,
            cell: ({ name, path, attempt }) => (
              <a className="job-link" href={addressOf(job.id, name, attempt)} download>
                {path}
              </a>
            ),
          },
          { id: 'bytes', header: 'Size', minWidth: 120, cell: ({ bytes }) => sizeText(bytes) },
        ]}
      />
      <Box variant="small">Secrets are not masked in files.</Box>
    </SpaceBetween>
  );
}

function addressOf(id: string, name: string, attempt: number): string {
  return `/api/v1/jobs/${encodeURIComponent(id)}/attachments/${encodeURIComponent(name)}?attempt=${attempt}`;
}
