import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import type { InputProps } from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { useMayAct } from '../../api/session.ts';
import { useNarrowScreen } from '../../browser/narrow-screen.ts';
import { PageError } from '../../page/page-error.tsx';
import { usePageTitle } from '../../page/page-title.ts';
import { ListTable } from '../../tables/list-table.tsx';
import { BulkActions } from '../bulk/bulk-actions.tsx';
import { FilterBar } from '../filters/filter-bar.tsx';
import { activeFilters, NO_FILTERS } from '../queries/job-filters.ts';
import { jobsQuery } from '../queries/jobs-query.ts';
import { noteList } from '../queries/last-list.ts';
import { useJobFilters } from '../queries/use-job-filters.ts';
import { jobHeadline } from '../text/prompt-headline.ts';
import { useColumnChoice } from './column-choice.ts';
import { ExportButton } from './export-button.tsx';
import { SORTED_COLUMN, useJobColumns } from './job-columns.tsx';
import { ListSettings } from './list-settings.tsx';
import { NoJobs } from './no-jobs.tsx';
import { PageButtons } from './page-buttons.tsx';
import { SelectAll } from './select-all.tsx';
import { useListKeys } from './use-list-keys.ts';
import { usePaging } from './use-paging.ts';
import { useSelection } from './use-selection.ts';
import './jobs-page.css';

/** The list of jobs, by default newest first. */
export function JobsPage() {
  usePageTitle('Jobs');
  const mayAct = useMayAct();
  const [filters, changeFilters] = useJobFilters();
  const paging = usePaging();
  const search = useRef<InputProps.Ref>(null);
  const narrow = useNarrowScreen();
  const jobs = useQuery(jobsQuery(filters, paging.cursor));
  const choice = useColumnChoice();
  const columns = useJobColumns(choice.shown, jobs.error ? jobs.dataUpdatedAt : undefined);
  const selection = useSelection(jobs.data?.items);
  const { search: query } = useLocation();
  useEffect(() => noteList(query), [query]);
  const shown = jobs.data?.items ?? [];
  /** The rows of the filters, or the page, before: shown until the wanted ones arrive. */
  const isBefore = jobs.isPlaceholderData;
  const isWholePage =
    shown.length > 0 &&
    (selection.jobs.length < (jobs.data?.total ?? 0) || jobs.data?.total_complete === false) &&
    shown.every(({ id }) => selection.jobs.some((job) => job.id === id));
  useListKeys({
    search,
    onToggle: (id) => {
      const job = jobs.data?.items.find((item) => item.id === id);
      if (job && mayAct) selection.toggle(job);
    },
  });
  if (jobs.error && !jobs.data) {
    return <PageError error={jobs.error} what="The jobs" retry={() => void jobs.refetch()} />;
  }
  return (
    <>
      {mayAct && isWholePage && (
        <SelectAll
          filters={filters}
          total={jobs.data?.total ?? 0}
          isComplete={jobs.data?.total_complete ?? true}
          onSelect={selection.replace}
        />
      )}
      <div className={isBefore ? 'jobs-before' : undefined} aria-busy={isBefore}>
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
            itemSelectionLabel: (_, job) => `Select ${jobHeadline(job)}`,
          }}
          header={
            <ListHeader
              counter={counter(jobs.data, selection.jobs.length)}
              selected={selection.jobs}
              hasBulk={selection.jobs.length > 0 || (!narrow && shown.length > 0)}
              onDone={() => selection.clear()}
            />
          }
          filter={
            <FilterBar
              filters={filters}
              onChange={changeFilters}
              counts={jobs.data?.status_counts}
              searchRef={search}
              jobs={shown}
            >
              <ExportButton />
              <ListSettings columns={choice} />
            </FilterBar>
          }
          sortingColumn={SORTED_COLUMN}
          sortingDescending={filters.order !== 'oldest'}
          onSortingChange={({ detail }) => changeFilters({ order: detail.isDescending ? '' : 'oldest' })}
          items={shown}
          loading={jobs.isPending}
          loadingText="Loading the jobs"
          columnDefinitions={columns}
          empty={
            jobs.data?.next_cursor ? (
              'No matches so far. The next page continues the search.'
            ) : (
              <NoJobs filtered={activeFilters(filters).length > 0} onClear={() => changeFilters(NO_FILTERS)} />
            )
          }
          footer={
            <PageButtons paging={paging} nextCursor={jobs.data?.next_cursor} oldestFirst={filters.order === 'oldest'} />
          }
        />
      </div>
    </>
  );
}

interface ListHeaderProps {
  readonly counter: string;
  readonly selected: readonly Schemas['JobSummary'][];
  /** Whether actions on the selected jobs are shown. */
  readonly hasBulk: boolean;
  readonly onDone: () => void;
}

function ListHeader({ counter, selected, hasBulk, onDone }: ListHeaderProps) {
  const navigate = useNavigate();
  const mayAct = useMayAct();
  return (
    <Header
      variant="h1"
      counter={counter}
      actions={
        mayAct && (
          <SpaceBetween size="xs" direction="horizontal">
            {hasBulk && <BulkActions selected={selected} onDone={onDone} />}
            <Button variant="primary" onClick={() => void navigate('/jobs/new')}>
              New job
            </Button>
          </SpaceBetween>
        )
      }
    >
      Jobs
    </Header>
  );
}

function counter(list: Schemas['JobList'] | undefined, chosen: number): string {
  if (list === undefined) return '';
  const total = `${list.total_complete ? '' : 'at least '}${list.total.toLocaleString('en')}`;
  return `(${total}${chosen > 0 ? `, ${chosen} selected` : ''})`;
}
