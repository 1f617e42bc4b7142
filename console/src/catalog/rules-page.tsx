import ExpandableSection from '@cloudscape-design/components/expandable-section';
import type { TableProps } from '@cloudscape-design/components/table';
import { useInfiniteQuery } from '@tanstack/react-query';
import { EmptyList } from '../layout/empty-list.tsx';
import { usePageTitle } from '../layout/page-title.ts';
import { type Rule, rulesQuery } from './catalog-queries.ts';
import { CatalogTable } from './catalog-table.tsx';
import { ItemSource } from './item-source.tsx';
import './rules-page.css';

/** The rules: pieces of prompt text that jobs ask for by id. */
export function RulesPage() {
  usePageTitle('Rules');
  const rules = useInfiniteQuery(rulesQuery);
  return (
    <CatalogTable
      title="Rules"
      description="A rule's text goes before the prompt of the jobs that ask for it by its id."
      isConfigured
      list={rules}
      columns={COLUMNS}
      trackBy={(rule) => rule.id}
      empty={<EmptyList title="No rules yet">Import a configuration that has some.</EmptyList>}
    />
  );
}

/** A text longer than this is folded. */
const SHORT = 160;

const COLUMNS: TableProps.ColumnDefinition<Rule>[] = [
  { id: 'id', header: 'Id', isRowHeader: true, minWidth: 140, cell: (rule) => <code>{rule.id}</code> },
  { id: 'name', header: 'Name', minWidth: 160, cell: (rule) => rule.name },
  { id: 'text', header: 'Text', minWidth: 320, cell: (rule) => <RuleText text={rule.text} /> },
  {
    id: 'source',
    header: 'From',
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
