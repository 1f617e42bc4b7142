import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Grid from '@cloudscape-design/components/grid';
import Icon from '@cloudscape-design/components/icon';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import TreeView from '@cloudscape-design/components/tree-view';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NOT_KEPT, NOT_LISTED } from '../../../../lib/contract/not-kept.ts';
import type { Schemas } from '../../api/client.ts';
import { sizeText } from '../../format/size-text.ts';
import { PageError } from '../../page/page-error.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { filesQuery, type Job } from '../queries/job-query.ts';
import { FilePreview } from './file-preview.tsx';
import { type FileNode, fileTree } from './file-tree.ts';

/** Files up to this number are shown with all their folders open. */
const FEW = 50;
/** Entries of one folder that are shown. */
const MOST_IN_FOLDER = 300;

/** The files that a job left in its folder, with a preview of one. */
export function JobFiles({ job }: { job: Job }) {
  const files = useQuery(filesQuery(job));
  if (files.error) return <PageError error={files.error} what="The files" retry={() => void files.refetch()} />;
  if (!files.data) return <Spinner />;
  if (files.data.items.length === 0 && files.data.not_listed.length === 0)
    return <EmptyList title="No files">{files.data.note ?? 'The attempt left none.'}</EmptyList>;
  return <Listed key={files.data.attempt} job={job} list={files.data} />;
}

function Listed({ job, list }: { job: Job; list: Schemas['JobFileList'] }) {
  const tree = fileTree(list.items);
  const [open, setOpen] = useState(() => (list.items.length > FEW ? [] : foldersOf(tree)));
  const [shown, setShown] = useState<string>();
  const file = list.items.find(({ path }) => path === shown);
  return (
    <SpaceBetween size="s">
      <Grid gridDefinition={[{ colspan: { default: 12, m: 5 } }, { colspan: { default: 12, m: 7 } }]}>
        <TreeView
          ariaLabel="Files"
          items={shownOf(tree)}
          expandedItems={open}
          onItemToggle={({ detail: { id, expanded } }) =>
            setOpen((before) => (expanded ? [...before, id] : before.filter((other) => other !== id)))
          }
          getItemId={({ path }) => path}
          getItemChildren={({ children }) => (children.length === 0 ? undefined : shownOf(children))}
          // The component adds the name.
          i18nStrings={{ collapseButtonLabel: () => 'Close', expandButtonLabel: () => 'Open' }}
          renderItem={(node) => ({
            announcementLabel: node.name,
            icon: <Icon name={isFolder(node) ? 'folder' : 'file'} />,
            content: <Entry node={node} onShow={setShown} />,
            ...(node.file !== undefined && { secondaryContent: <State file={node.file} /> }),
          })}
        />
        {file === undefined ? (
          <Box color="text-body-secondary">Choose a file to see it.</Box>
        ) : (
          <FilePreview key={file.path} id={job.id} attempt={list.attempt} file={file} />
        )}
      </Grid>
      <Box variant="small">{notesOf(list, job).join(' ')}</Box>
    </SpaceBetween>
  );
}

function isFolder({ file }: FileNode): boolean {
  return file === undefined || file.reason === 'left_out';
}

function Entry({ node: { name, file }, onShow }: { node: FileNode; onShow: (path: string) => void }) {
  if (file === undefined || !file.kept) return <span>{name}</span>;
  return (
    <Button variant="inline-link" onClick={() => onShow(file.path)}>
      {name}
    </Button>
  );
}

function State({ file: { bytes, kept, reason, masked } }: { file: NonNullable<FileNode['file']> }) {
  const why = (NOT_KEPT as Readonly<Record<string, string>>)[reason ?? ''] ?? reason;
  const facts = kept ? [sizeText(bytes), ...(masked ? ['secrets masked'] : [])] : [`not kept: ${why}`];
  return (
    <Box variant="small" color="text-body-secondary">
      {facts.join(' · ')}
    </Box>
  );
}

function foldersOf(nodes: readonly FileNode[]): string[] {
  return nodes.flatMap(({ path, children }) => (children.length === 0 ? [] : [path, ...foldersOf(children)]));
}

function shownOf(nodes: readonly FileNode[]): readonly FileNode[] {
  const [first] = nodes.slice(MOST_IN_FOLDER);
  if (first === undefined) return nodes;
  const more = {
    path: `${first.path}/more`,
    name: `and ${nodes.length - MOST_IN_FOLDER} more`,
    file: undefined,
    children: [],
  };
  return [...nodes.slice(0, MOST_IN_FOLDER), more];
}

const SELECTIONS: Readonly<Record<string, string>> = {
  worktree: 'Files that differ from what the agent began with are kept.',
  changed: 'Files that changed during the attempt are kept.',
};

function* notes({ attempt, selection, not_listed }: Schemas['JobFileList'], job: Job): Iterable<string> {
  yield `As attempt ${attempt} left them. ${SELECTIONS[selection ?? ''] ?? ''}`.trim();
  for (const { reason, count } of not_listed)
    yield `${count} or more are not listed: ${(NOT_LISTED as Readonly<Record<string, string>>)[reason] ?? reason}.`;
  yield `All of them: promptq files ${job.id} -o FOLDER`;
}

function notesOf(list: Schemas['JobFileList'], job: Job): readonly string[] {
  return [...notes(list, job)];
}
