import SpaceBetween from '@cloudscape-design/components/space-between';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMayAct } from '../api/session.ts';
import { NEW_AUTOMATION } from '../page/automation-link.tsx';
import { LinkButton } from '../page/link-button.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { RoleNote } from '../page/role-note.tsx';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListPage } from '../tables/list-page.tsx';
import { AUTOMATION_COLUMNS } from './automation-columns.tsx';
import { automationsQuery } from './automation-queries.ts';

/** The automations with their health. */
export function AutomationsPage() {
  usePageTitle('Automations');
  const automations = useInfiniteQuery(automationsQuery);
  const mayAct = useMayAct();
  const create = mayAct && (
    <LinkButton primary to={NEW_AUTOMATION}>
      New automation
    </LinkButton>
  );
  return (
    <ListPage
      title="Automations"
      description={
        <>
          Each creates jobs by schedule, or when another service posts to it.
          <RoleNote needs="operator" what="automations" />
        </>
      }
      list={automations}
      trackBy="id"
      columns={AUTOMATION_COLUMNS}
      actions={
        <SpaceBetween size="xs" direction="horizontal">
          <LinkButton to="/automations/-/calendar">Calendar</LinkButton>
          {create}
        </SpaceBetween>
      }
      empty={
        <EmptyList title="No automations yet" action={create}>
          {mayAct ? 'Create one to run a job every night.' : 'An operator can create one.'}
        </EmptyList>
      }
    />
  );
}
