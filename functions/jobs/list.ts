import { openList } from '../../lib/api/runtime/services.ts';
import { serve } from '../../lib/api/serve.ts';
import { listJobs as route } from '../../lib/contract/routes/jobs.ts';
import { viewSummary } from '../../lib/jobs/views/job-view.ts';
import { listJobs } from '../../lib/jobs/views/list-jobs.ts';

/** `GET /jobs` */
export const handler = serve(route, openList, async ({ query }, { core }, context) => {
  const { items, total, totalComplete, offset, limit, statusCounts, nextCursor } = await listJobs(context, query);
  const told = await context.waiting.told(items.map(({ job }) => job));
  return {
    body: {
      items: told.map((job, at) => viewSummary(job, items[at] ?? {}, core.env.PROMPTQ_TIMEOUT_UNIT)),
      total,
      total_complete: totalComplete,
      offset,
      limit,
      status_counts: statusCounts,
      next_cursor: nextCursor ?? null,
    },
  };
});
