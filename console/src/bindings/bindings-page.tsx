import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayAct } from '../api/session.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { RoleNote } from '../page/role-note.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { bindingColumns } from './binding-columns.tsx';
import { type Binding, bindingsQuery, useDeleteBinding } from './binding-queries.ts';

const BindingDialog = lazyPart(() => import('./binding-dialog.tsx'), 'BindingDialog');

/** Milliseconds. The service may disable a binding. */
const POLL_INTERVAL_MS = 30_000;

/** The deploy bindings: actions that run when jobs succeed. */
export function BindingsPage() {
  usePageTitle('Deploy bindings');
  const bindings = useQuery({ ...bindingsQuery, refetchInterval: POLL_INTERVAL_MS });
  const mayAct = useMayAct();
  const remove = useDeleteBinding();
  const [edited, setEdited] = useState<Binding | 'new'>();
  const [toDelete, setToDelete] = useState<Binding>();
  if (bindings.error && !bindings.data)
    return <PageError error={bindings.error} what="The bindings" retry={() => void bindings.refetch()} />;
  return (
    <>
      <ListTable
        variant="full-page"
        wrapLines
        trackBy="id"
        ariaLabels={{ tableLabel: 'Deploy bindings' }}
        header={
          <Header
            variant="h1"
            counter={bindings.data && `(${bindings.data.items.length})`}
            description={
              <>
                Actions that run when a job of the project succeeds. A failed deployment does not affect its job.
                <RoleNote needs="operator" what="deploy bindings" />
              </>
            }
            actions={
              mayAct && (
                <Button variant="primary" onClick={() => setEdited('new')}>
                  Create binding
                </Button>
              )
            }
          >
            Deploy bindings
          </Header>
        }
        items={bindings.data?.items ?? []}
        loading={bindings.isPending}
        loadingText="Loading the bindings"
        columnDefinitions={bindingColumns(mayAct, { onEdit: setEdited, onDelete: setToDelete })}
        empty={
          <EmptyList
            title="No bindings yet"
            action={mayAct && <Button onClick={() => setEdited('new')}>Create binding</Button>}
          >
            {mayAct ? 'Create one to call a URL, build or deploy after a job succeeds.' : 'An operator can create one.'}
          </EmptyList>
        }
      />
      {edited && (
        <Part>
          <BindingDialog binding={edited === 'new' ? undefined : edited} onDone={() => setEdited(undefined)} />
        </Part>
      )}
      {toDelete && (
        <ConfirmDialog
          action="Delete binding"
          keep="Cancel"
          busy={remove.isPending}
          onDismiss={() => setToDelete(undefined)}
          onConfirm={() => remove.mutate(toDelete.id, { onSettled: () => setToDelete(undefined) })}
        >
          Pending deployments of “{toDelete.name}” in {toDelete.project} are skipped. Finished ones stay with their
          jobs.
        </ConfirmDialog>
      )}
    </>
  );
}
