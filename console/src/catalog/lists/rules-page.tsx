import ExpandableSection from '@cloudscape-design/components/expandable-section';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMayAdminister } from '../../api/session.ts';
import { lazyPart } from '../../page/lazy-part.ts';
import { LinkButton } from '../../page/link-button.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { Part } from '../../page/part.tsx';
import { RoleNote } from '../../page/role-note.tsx';
import { EmptyList } from '../../tables/empty-list.tsx';
import { ListPage } from '../../tables/list-page.tsx';
import { type Rule, rulesQuery } from '../catalog-queries.ts';
import { ConfiguredActions } from './configured-actions.tsx';
import { entryActions } from './entry-actions.tsx';
import { ItemSource } from './item-source.tsx';
import './rules-page.css';

const DeleteEntry = lazyPart(() => import('./delete-entry.tsx'), 'DeleteEntry');

/** The rules: prompt texts that jobs refer to by ID. */
export function RulesPage() {
  usePageTitle('Rules');
  const rules = useInfiniteQuery(rulesQuery);
  const mayAdminister = useMayAdminister();
  const [toDelete, setToDelete] = useState<Rule>();
  return (
    <>
      <ListPage
        title="Rules"
        description={
          <>
            A rule's text is added before the prompt of jobs that refer to it by ID.
            <RoleNote needs="admin" what="rules" />
          </>
        }
        actions={<ConfiguredActions create="Create rule" path="/rules/new" />}
        list={rules}
        columns={
          mayAdminister
            ? [...COLUMNS, entryActions<Rule>({ list: 'rules', nameOf: ({ id }) => id, onDelete: setToDelete })]
            : COLUMNS
        }
        trackBy={(rule) => rule.id}
        empty={
          <EmptyList
            title="No rules yet"
            action={mayAdminister && <LinkButton to="/rules/new">Create rule</LinkButton>}
          >
            {mayAdminister ? 'Create one, or import a configuration.' : 'An admin can create one.'}
          </EmptyList>
        }
      />
      {toDelete && (
        <Part>
          <DeleteEntry what="rule" name={toDelete.id} onDone={() => setToDelete(undefined)} />
        </Part>
      )}
    </>
  );
}

/** Longer texts (characters) are collapsed. */
const SHORT = 160;

const COLUMNS: TableProps.ColumnDefinition<Rule>[] = [
  { id: 'id', header: 'ID', isRowHeader: true, minWidth: 140, cell: (rule) => <code>{rule.id}</code> },
  { id: 'name', header: 'Name', minWidth: 160, cell: (rule) => rule.name },
  { id: 'text', header: 'Text', minWidth: 320, cell: (rule) => <RuleText text={rule.text} /> },
  {
    id: 'source',
    header: 'Source',
    minWidth: 140,
    cell: (rule) => <ItemSource source={rule.source} at={rule.updated_at} />,
  },
];

function RuleText({ text }: { text: string }) {
  if (text.length <= SHORT) return <span className="rule-text">{text}</span>;
  return (
    <ExpandableSection headerText={`${text.slice(0, SHORT / 2).trim()}…`}>
      <span className="rule-text">{text}</span>
    </ExpandableSection>
  );
}
