import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useQuery } from '@tanstack/react-query';
import { PageError } from '../page/page-error.tsx';
import { PageLoading } from '../page/page-loading.tsx';
import { usePageTitle } from '../page/page-title.ts';
import { JobsByDay } from './jobs-by-day.tsx';
import { KeyStats } from './key-stats.tsx';
import { statsQuery } from './stats-query.ts';
import { TimesByDay } from './times-by-day.tsx';
import { TokenTable } from './token-table.tsx';
import { TokensByDay } from './tokens-by-day.tsx';
import './stats-page.css';

/** Statistics of the queue: outcomes, wait times, run times and tokens. */
export function StatsPage() {
  usePageTitle('Statistics');
  const stats = useQuery(statsQuery);
  if (stats.error && !stats.data)
    return <PageError error={stats.error} what="The statistics" retry={() => void stats.refetch()} />;
  if (!stats.data) return <PageLoading what="the statistics" />;
  const { jobs, tokens } = stats.data;
  return (
    <SpaceBetween size="l">
      <Header variant="h1" description="The last 30 days, by the day (UTC) on which jobs ended.">
        Statistics
      </Header>
      <KeyStats stats={stats.data} />
      <JobsByDay days={jobs.by_day} />
      <div className="stats-pair">
        <TimesByDay title="Queue wait time" days={jobs.by_day} of={(day) => day.queue_wait_ms} />
        <TimesByDay title="Run time" days={jobs.by_day} of={(day) => day.duration_ms} />
      </div>
      <TokensByDay days={tokens.by_day} />
      <div className="stats-pair">
        <TokenTable
          title="Tokens by model"
          what="Model"
          rows={tokens.by_model.map((row) => ({ ...row, name: row.model }))}
        />
        <TokenTable
          title="Tokens by project"
          what="Project"
          rows={tokens.by_project.map((row) => ({ ...row, name: row.project }))}
        />
      </div>
    </SpaceBetween>
  );
}
