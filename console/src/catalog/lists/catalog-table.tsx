import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useMayAdminister } from '../../api/session.ts';
import { PageError } from '../../page/page-error.tsx';
import { ListTable } from '../../tables/list-table.tsx';
import { LoadMore, type MorePages } from '../../tables/load-more.tsx';

interface CatalogTableProps<Item> {
  readonly title: string;
  readonly description: ReactNode;
  /** An infinite query's state. */
  readonly list: MorePages & {
    readonly data: { readonly pages: readonly { readonly items: Item[] }[] } | undefined;
    readonly isPending: boolean;
    refetch(): Promise<unknown>;
  };
  readonly columns: TableProps.ColumnDefinition<Item>[];
  readonly trackBy: (item: Item) => string;
  readonly empty: ReactNode;
  /** Set for lists that admins can import, export and add to. */
  readonly configured?: { readonly create: string; readonly path: string };
}

/** A list of the catalog: projects, rules, profiles. */
export function CatalogTable<Item>(props: CatalogTableProps<Item>) {
  const { title, description, list, columns, trackBy, empty, configured } = props;
  const navigate = useNavigate();
  const mayAdminister = useMayAdminister();
  if (list.error && !list.data)
    return <PageError error={list.error} what={`The ${title.toLowerCase()}`} retry={() => void list.refetch()} />;
  return (
    <SpaceBetween size="m">
      <ListTable
        variant="full-page"
        stickyHeader
        wrapLines
        trackBy={trackBy}
        ariaLabels={{ tableLabel: title }}
        header={
          <Header
            variant="h1"
            description={description}
            actions={
              configured &&
              mayAdminister && (
                <SpaceBetween size="xs" direction="horizontal">
                  <Button onClick={() => void navigate('/configuration')}>Import or export</Button>
                  <Button variant="primary" onClick={() => void navigate(configured.path)}>
                    {configured.create}
                  </Button>
                </SpaceBetween>
              )
            }
          >
            {title}
          </Header>
        }
        items={list.data?.pages.flatMap((page) => page.items) ?? []}
        loading={list.isPending}
        loadingText={`Loading the ${title.toLowerCase()}`}
        columnDefinitions={columns}
        empty={empty}
      />
      <LoadMore list={list} />
    </SpaceBetween>
  );
}
