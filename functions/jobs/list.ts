import { createList } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { listJobs as route } from '../../lib/contract/routes/jobs.ts';
import { viewSummary } from '../../lib/jobs/views/job-view.ts';
import { listJobs } from '../../lib/jobs/views/list-jobs.ts';

/** `GET /jobs` */
export const handler = handle(route, createList, async ({ query }, { core }, context) => {
  const { items, total, totalComplete, offset, limit, statusCounts, nextCursor } = await listJobs(context, query);
  const annotated = await context.waiting.annotate(items.map(({ job }) => job));
  return {
    body: {
      items: annotated.map((job, at) => viewSummary(job, items[at]?.labels ?? {}, core.env.PROMPTQ_TIMEOUT_UNIT)),
      total,
      total_complete: totalComplete,
      offset,
      limit,
      status_counts: statusCounts,
      next_cursor: nextCursor ?? null,
    },
  };
});
