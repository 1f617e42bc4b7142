import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useMayAct } from '../api/session.ts';
import { ConfirmDialog } from '../feedback/confirm-dialog.tsx';
import { lazyPart } from '../page/lazy-part.ts';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { Part } from '../page/part.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { automationColumns } from './automation-columns.tsx';
import { type Automation, automationsQuery, useActOnAutomation } from './automation-queries.ts';

const NewAutomation = lazyPart(() => import('./new-automation.tsx'), 'NewAutomation');
const AutomationRuns = lazyPart(() => import('./automation-runs.tsx'), 'AutomationRuns');

/** The automations with their health. `new` in the address opens the form, and `open` the runs of one. */
export function AutomationsPage() {
  usePageTitle('Automations');
  const automations = useQuery(automationsQuery);
  const mayAct = useMayAct();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const act = useActOnAutomation();
  const [deleted, setDeleted] = useState<Automation>();
  const close = () => void navigate('/automations', { replace: true });
  const create = () => void navigate('/automations?new=1');
  if (automations.error && !automations.data)
    return <PageError error={automations.error} what="The automations" retry={() => void automations.refetch()} />;
  const opened = automations.data?.items.find(({ id }) => id === parameters.get('open'));
  return (
    <>
      <ListTable
        variant="full-page"
        stickyHeader
        wrapLines
        trackBy="id"
        ariaLabels={{ tableLabel: 'Automations' }}
        header={
          <Header
            variant="h1"
            counter={automations.data && `(${automations.data.items.length})`}
            description="Each creates jobs by schedule."
            actions={
              mayAct && (
                <Button variant="primary" onClick={create}>
                  New automation
                </Button>
              )
            }
          >
            Automations
          </Header>
        }
        items={automations.data?.items ?? []}
        loading={automations.isPending}
        loadingText="Loading the automations"
        columnDefinitions={automationColumns({
          mayAct,
          busy: act.isPending ? act.variables.id : undefined,
          onAct: (one, action) => (action === 'delete' ? setDeleted(one) : act.mutate({ id: one.id, action })),
          onOpen: ({ id }) => void navigate(`/automations?open=${id}`),
        })}
        empty={
          <EmptyList title="No automations" action={mayAct && <Button onClick={create}>New automation</Button>}>
            {mayAct ? 'Create one to run a job every night.' : 'An operator can create one.'}
          </EmptyList>
        }
      />
      {mayAct && parameters.has('new') && (
        <Part>
          <NewAutomation onDone={close} />
        </Part>
      )}
      {opened && (
        <Part>
          <AutomationRuns automation={opened} onDone={close} />
        </Part>
      )}
      {deleted && (
        <ConfirmDialog
          action="Delete automation"
          busy={act.isPending}
          onDismiss={() => setDeleted(undefined)}
          onConfirm={() => act.mutate({ id: deleted.id, action: 'delete' }, { onSettled: () => setDeleted(undefined) })}
        >
          {deleted.name} creates no more jobs, and its history is deleted. Its jobs stay.
        </ConfirmDialog>
      )}
    </>
  );
}
