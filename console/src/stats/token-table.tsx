import Header from '@cloudscape-design/components/header';
import type { Schemas } from '../api/client.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';

interface TokenTableProps {
  readonly title: string;
  /** What each row is, such as `Model`. */
  readonly what: string;
  readonly rows: readonly (Schemas['TokenSums'] & { readonly name: string })[];
}

/** Tokens of all time, highest first. */
export function TokenTable({ title, what, rows }: TokenTableProps) {
  const sorted = rows
    .filter((row) => row.input_tokens + row.output_tokens > 0)
    .sort((a, b) => b.input_tokens + b.output_tokens - a.input_tokens - a.output_tokens);
  const number = (value: number) => value.toLocaleString('en');
  return (
    <ListTable
      header={
        <Header variant="h2" description="All time">
          {title}
        </Header>
      }
      ariaLabels={{ tableLabel: title }}
      items={sorted}
      columnDefinitions={[
        { id: 'name', header: what, isRowHeader: true, minWidth: 130, cell: (row) => row.name },
        { id: 'in', header: 'Input', cell: (row) => number(row.input_tokens) },
        { id: 'cached', header: 'Cached', cell: (row) => number(row.cached_input_tokens) },
        { id: 'out', header: 'Output', cell: (row) => number(row.output_tokens) },
        { id: 'cost', header: 'Cost', cell: (row) => (row.cost_usd === 0 ? '-' : `$${row.cost_usd.toFixed(2)}`) },
      ]}
      empty={<EmptyList title="No tokens used yet" />}
    />
  );
}
