import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { ListTable } from '../../layout/list-table.tsx';
import { PageFault } from '../../layout/page-fault.tsx';
import { sizeText } from '../../layout/size-text.ts';
import { type Job, resultQuery } from './job-query.ts';

/** The files that the newest attempt left, each to download. */
export function JobAttachments({ job }: { job: Job }) {
  const result = useQuery(resultQuery(job));
  if (result.error) return <PageFault error={result.error} what="The files" retry={() => void result.refetch()} />;
  if (!result.data) return <Spinner />;
  return (
    <SpaceBetween size="s">
      <ListTable
        variant="embedded"
        trackBy="name"
        items={result.data.attachments}
        ariaLabels={{ tableLabel: 'Attachments' }}
        empty="It left no files. What an agent puts into $PROMPTQ_ATTACHMENTS is kept when it ends."
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
      <Box variant="small">Files are kept as they are: secrets are not masked in them.</Box>
    </SpaceBetween>
  );
}

function addressOf(id: string, name: string, attempt: number): string {
  return `/api/v1/jobs/${encodeURIComponent(id)}/attachments/${encodeURIComponent(name)}?attempt=${attempt}`;
}
