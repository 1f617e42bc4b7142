import Button from '@cloudscape-design/components/button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { EXPORT_KINDS, type ExportKind } from '../../../lib/contract/export-kinds.ts';
import { useMayAdminister } from '../api/session.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListPage } from '../tables/list-page.tsx';
import { exportColumns } from './export-columns.tsx';
import { type Export, exportsQuery, useDeleteExport, useDownload } from './export-queries.ts';
import { filtersOf } from './export-words.ts';

const NewExport = lazyPart(() => import('./new-export.tsx'), 'NewExport');

/** The exports of the last days. An address with `new` opens the form, with the filters that it has. */
export function ExportsPage() {
  usePageTitle('Exports');
  const exports = useQuery(exportsQuery);
  const mayAdminister = useMayAdminister();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const download = useDownload();
  const remove = useDeleteExport();
  const [asked, setAsked] = useState<Export>();
  const open = () => void navigate('/exports?new=jobs');
  const button = <Button onClick={open}>New export</Button>;
  const kind = kindIn(parameters);
  return (
    <>
      <ListPage
        title="Exports"
        description="Jobs, attempts, usage, messages or the audit log as a file. It is kept for seven days."
        actions={
          mayAdminister && (
            <Button variant="primary" onClick={open}>
              New export
            </Button>
          )
        }
        list={{ ...exports, data: exports.data && { pages: [exports.data] } }}
        trackBy="id"
        columns={exportColumns({
          mayDelete: mayAdminister,
          downloading: download.isPending ? download.variables.id : undefined,
          onDownload: ({ id }, raw) => download.mutate({ id, raw }),
          onDelete: setAsked,
        })}
        empty={
          <EmptyList title="No exports" action={mayAdminister && button}>
            {mayAdminister ? 'Start one here, or from the list of jobs with its filters.' : 'An admin can start one.'}
          </EmptyList>
        }
      />
      {mayAdminister && kind !== undefined && (
        <Part>
          <NewExport
            kind={kind}
            conditions={filtersOf(kind).flatMap((name) => {
              const value = parameters.get(name);
              return value === null || value === '' ? [] : [{ name, value }];
            })}
            onDone={() => void navigate('/exports', { replace: true })}
          />
        </Part>
      )}
      {asked && (
        <ConfirmDialog
          action="Delete export"
          busy={remove.isPending}
          onDismiss={() => setAsked(undefined)}
          onConfirm={() => remove.mutate(asked.id, { onSettled: () => setAsked(undefined) })}
        >
          Its files are deleted, and links to them no longer work. The jobs stay.
        </ConfirmDialog>
      )}
    </>
  );
}

function kindIn(parameters: URLSearchParams): ExportKind | undefined {
  return EXPORT_KINDS.find((kind) => kind === parameters.get('new'));
}
