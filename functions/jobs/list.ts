import { listJobs as route } from '../../lib/contract/routes/jobs.ts';
import { serve } from '../../lib/http/serve.ts';
import { openList } from '../../lib/http/services.ts';
import { viewSummary } from '../../lib/jobs/job-view.ts';
import { listJobs } from '../../lib/jobs/list-jobs.ts';

/** `GET /jobs` */
export const handler = serve(route, openList, async ({ query }, _call, context) => {
  const { items, total, offset, limit, statusCounts, nextCursor } = await listJobs(context, query);
  return {
    body: {
      items: (await context.waiting.told(items)).map(viewSummary),
      total,
      offset,
      limit,
      status_counts: statusCounts,
      next_cursor: nextCursor ?? null,
    },
  };
});
