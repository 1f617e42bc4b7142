import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { PageError } from '../page/page-error.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { EmptyList } from '../tables/empty-list.tsx';
import { ListTable } from '../tables/list-table.tsx';
import { LoadMore } from '../tables/load-more.tsx';
import { AUDIT_COLUMNS } from './audit-columns.tsx';
import { AuditFilterFields } from './audit-filter-fields.tsx';
import { type AuditFilters, auditQuery, NO_AUDIT_FILTERS } from './audit-query.ts';

/** The audit log: who did what, when and from where. */
export function AuditPage() {
  usePageTitle('Audit log');
  const [parameters, setParameters] = useSearchParams();
  const filters = filtersOf(parameters);
  const log = useInfiniteQuery(auditQuery(filters));
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const rows = log.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <SpaceBetween size="m">
      <ListTable
        variant="full-page"
        wrapLines
        trackBy="id"
        ariaLabels={{ tableLabel: 'Audit log' }}
        header={
          <Header
            variant="h1"
            description={`Sign-ins and changes of the last ${LIMITS.auditDays} days, newest first. The creator of a job is shown on the job.`}
            actions={<Button iconName="refresh" ariaLabel="Refresh" onClick={() => void log.refetch()} />}
          >
            Audit log
          </Header>
        }
        filter={
          <AuditFilterFields
            key={parameters.toString()}
            filters={filters}
            onChange={(changed) => setParameters(Object.entries(changed).filter(([, value]) => value !== ''))}
          />
        }
        items={log.error && !log.data ? [] : rows}
        loading={log.isPending}
        loadingText="Loading the audit log"
        columnDefinitions={AUDIT_COLUMNS}
        empty={
          log.error ? (
            <PageError error={log.error} what="The audit log" retry={() => void log.refetch()} />
          ) : (
            <EmptyList
              title={isFiltered ? 'No matching entries' : 'No entries'}
              action={isFiltered && <Button onClick={() => setParameters([])}>Clear all filters</Button>}
            >
              {isFiltered ? 'Clear the filters to see all entries.' : 'Sign-ins and changes appear here.'}
            </EmptyList>
          )
        }
      />
      <LoadMore list={log} />
    </SpaceBetween>
  );
}

/** The filters in the page's address. */
function filtersOf(parameters: URLSearchParams): AuditFilters {
  const names = Object.keys(NO_AUDIT_FILTERS) as (keyof AuditFilters)[];
  return { ...NO_AUDIT_FILTERS, ...Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) };
}
