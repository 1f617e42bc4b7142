import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import type { InputProps } from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useMayAct } from '../api/session.ts';
import { ListTable } from '../layout/list-table.tsx';
import { useNarrowScreen } from '../layout/narrow-screen.ts';
import { PageFault } from '../layout/page-fault.tsx';
import { usePageTitle } from '../layout/page-title.ts';
import { BulkActions } from './bulk/bulk-actions.tsx';
import { FilterBar } from './list/filter-bar.tsx';
import { useJobColumns } from './list/job-columns.tsx';
import { useJobFilters } from './list/job-filters.ts';
import { jobsQuery } from './list/jobs-query.ts';
import { noteList } from './list/last-list.ts';
import { NoJobs } from './list/no-jobs.tsx';
import { PageButtons } from './list/page-buttons.tsx';
import { SelectAll } from './list/select-all.tsx';
import { useListKeys } from './list/use-list-keys.ts';
import { usePaging } from './list/use-paging.ts';
import { useSelection } from './list/use-selection.ts';
import './jobs-page.css';

/** The list of jobs, newest first. */
export function JobsPage() {
  usePageTitle('Jobs');
  const navigate = useNavigate();
  const mayAct = useMayAct();
  const [filters, changeFilters] = useJobFilters();
  const paging = usePaging();
  const search = useRef<InputProps.Ref>(null);
  const narrow = useNarrowScreen();
  const jobs = useQuery(jobsQuery(filters, paging.cursor));
  const columns = useJobColumns(jobs.error ? jobs.dataUpdatedAt : undefined);
  const selection = useSelection(jobs.data?.items);
  const { search: query } = useLocation();
  useEffect(() => noteList(query), [query]);
  const shown = jobs.data?.items ?? [];
  const isWholePage =
    shown.length > 0 &&
    selection.jobs.length < (jobs.data?.total ?? 0) &&
    shown.every(({ id }) => selection.jobs.some((job) => job.id === id));
  const newJob = () => void navigate('/jobs/new');
  useListKeys({
    search,
    onToggle: (id) => {
      const job = jobs.data?.items.find((item) => item.id === id);
      if (job && mayAct) selection.toggle(job);
    },
  });
  if (jobs.error && !jobs.data) {
    return <PageFault error={jobs.error} what="The jobs" retry={() => void jobs.refetch()} />;
  }
  return (
    <>
      {jobs.error && (
        <Alert type="warning" header="The list is out of date">
          {jobs.error.message} The list is updated as soon as the service answers.
        </Alert>
      )}
      {mayAct && isWholePage && (
        <SelectAll filters={filters} total={jobs.data?.total ?? 0} onSelect={selection.replace} />
      )}
      <ListTable
        variant="full-page"
        stickyHeader
        trackBy="id"
        {...(mayAct && { selectionType: 'multi' as const })}
        selectedItems={[...selection.jobs]}
        onSelectionChange={({ detail }) => selection.choose(detail.selectedItems)}
        ariaLabels={{
          tableLabel: 'Jobs',
          selectionGroupLabel: 'Select jobs',
          allItemsSelectionLabel: () => 'Select all jobs of this page',
          itemSelectionLabel: (_, job) => `Select ${job.prompt_preview || job.id}`,
        }}
        header={
          <Header
            variant="h1"
            counter={counter(jobs.data?.total, selection.jobs.length)}
            actions={
              <SpaceBetween size="xs" direction="horizontal">
                {mayAct && (!narrow || selection.jobs.length > 0) && (
                  <BulkActions selected={selection.jobs} onDone={() => selection.clear()} />
                )}
                {mayAct && (
                  <Button variant="primary" onClick={newJob}>
                    New job
                  </Button>
                )}
              </SpaceBetween>
            }
          >
            Jobs
          </Header>
        }
        filter={
          <FilterBar filters={filters} onChange={changeFilters} counts={jobs.data?.status_counts} searchRef={search} />
        }
        items={shown}
        loading={jobs.isPending}
        loadingText="Loading the jobs"
        columnDefinitions={columns}
        empty={
          <NoJobs
            filtered={Object.keys(filters).length > 0}
            onClear={() => changeFilters({ status: '', search: '', project: '', cwd: '' })}
            {...(mayAct && { onNew: newJob })}
          />
        }
        footer={<PageButtons paging={paging} nextCursor={jobs.data?.next_cursor} />}
      />
    </>
  );
}

function counter(total: number | undefined, chosen: number): string {
  if (total === undefined) return '';
  return `(${total.toLocaleString('en')}${chosen > 0 ? `, ${chosen} selected` : ''})`;
}
