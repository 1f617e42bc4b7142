import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useMemo } from 'react';
import { useNarrowScreen } from '../browser/narrow-screen.ts';
import './list-table.css';

/** Height (px) of the top bar (`--bar-height`), below which a table's header sticks. */
const BAR_HEIGHT = 44;

/** A table. On a narrow screen, each row is stacked: its heading, then all other values with their labels. */
export function ListTable<Item>({ columnDefinitions, ...table }: TableProps<Item>) {
  const narrow = useNarrowScreen();
  const stacked = useMemo(() => [stackedColumn(columnDefinitions)], [columnDefinitions]);
  if (!narrow)
    return <Table stickyHeaderVerticalOffset={BAR_HEIGHT} {...table} columnDefinitions={columnDefinitions} />;
  return <Table {...table} wrapLines stickyHeader={false} columnDefinitions={stacked} />;
}

function stackedColumn<Item>(columns: TableProps<Item>['columnDefinitions']): TableProps.ColumnDefinition<Item> {
  const heading = columns.find(({ isRowHeader }) => isRowHeader) ?? columns[0];
  return {
    id: 'stacked',
    header: heading?.header,
    cell: (item) => (
      <div className="stacked-row">
        <div className="stacked-heading">{heading?.cell(item)}</div>
        <dl>
          {columns
            .filter((column) => column !== heading)
            .map((column) => (
              <div key={column.id}>
                <dt>{column.header}</dt>
                <dd>{column.cell(item)}</dd>
              </div>
            ))}
        </dl>
      </div>
    ),
  };
}
