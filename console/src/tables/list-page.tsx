import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { PageError } from '../page/page-error.tsx';
import { ListTable } from './list-table.tsx';
import { LoadMore, type MorePages } from './load-more.tsx';

interface ListPageProps<Item> {
  readonly title: string;
  readonly description: ReactNode;
  /** The state of a query whose data has pages. */
  readonly list: Partial<MorePages> & {
    readonly error: Error | null;
    readonly data: { readonly pages: readonly { readonly items: Item[] }[] } | undefined;
    readonly isPending: boolean;
    refetch(): Promise<unknown>;
  };
  readonly columns: readonly TableProps.ColumnDefinition<Item>[];
  readonly trackBy: string | ((item: Item) => string);
  readonly empty: ReactNode;
  /** Buttons of the page. */
  readonly actions?: ReactNode;
}

/** A page that is one list, such as the projects, the automations or the exports. */
export function ListPage<Item>({ title, description, list, columns, trackBy, empty, actions }: ListPageProps<Item>) {
  const what = title.toLowerCase();
  if (list.error && !list.data)
    return <PageError error={list.error} what={`The ${what}`} retry={() => void list.refetch()} />;
  return (
    <SpaceBetween size="m">
      <ListTable
        variant="full-page"
        stickyHeader
        wrapLines
        trackBy={trackBy}
        ariaLabels={{ tableLabel: title }}
        header={
          <Header variant="h1" description={description} actions={actions}>
            {title}
          </Header>
        }
        items={list.data?.pages.flatMap((page) => page.items) ?? []}
        loading={list.isPending}
        loadingText={`Loading the ${what}`}
        columnDefinitions={columns}
        empty={empty}
      />
      {hasMore(list) && <LoadMore list={list} />}
    </SpaceBetween>
  );
}

function hasMore(list: object): list is MorePages {
  return 'fetchNextPage' in list;
}
