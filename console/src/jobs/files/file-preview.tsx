import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { useQuery } from '@tanstack/react-query';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import { readText } from '../changes/read-diff.ts';
import { visibleText } from '../changes/visible-text.ts';
import type { JobFile } from './file-tree.ts';
import './job-files.css';

/** Bytes and lines of a file that are shown. The download has all of it. */
const MOST = { bytes: 200_000, lines: 2_000 };

/** The text of a file, as far as it is one, with its download. */
export function FilePreview({ id, attempt, file }: { id: string; attempt: number; file: JobFile }) {
  const address = addressOf(id, attempt, file.path);
  const read = useQuery({
    queryKey: ['file', id, attempt, file.path],
    queryFn: async ({ signal }) => await readText(address, signal, MOST.bytes),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <SpaceBetween size="xs">
      <Box>
        <a className="job-link" href={address} download>
          {file.path}
        </a>{' '}
        {sizeText(file.bytes)}
      </Box>
      {read.error && <PageError error={read.error} what="The file" retry={() => void read.refetch()} />}
      {read.data ? <Text file={file} {...read.data} /> : read.error === null && <Spinner />}
    </SpaceBetween>
  );
}

function Text({ file, text, isCut }: { file: JobFile; text: string; isCut: boolean }) {
  // A decoder puts U+FFFD in place of what is no UTF-8; a cut may part the last character.
  if (/\0|\ufffd(?!$)/.test(text)) return <Box color="text-body-secondary">This file is no text. Download it.</Box>;
  if (text === '') return <Box color="text-body-secondary">The file is empty.</Box>;
  const lines = text.split('\n');
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
      <section className="job-file" aria-label={file.path} tabIndex={0}>
        <pre>{lines.slice(0, MOST.lines).map(visibleText).join('\n')}</pre>
      </section>
      {(isCut || lines.length > MOST.lines) && <Box variant="small">Its beginning is shown. Download the file.</Box>}
    </>
  );
}

function addressOf(id: string, attempt: number, path: string): string {
  const query = new URLSearchParams({ path, attempt: String(attempt) });
  return `/api/v1/jobs/${encodeURIComponent(id)}/files/content?${query}`;
}
