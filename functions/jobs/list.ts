import { createList } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { listJobs as route } from '../../lib/contract/routes/jobs.ts';
import { fittingPage } from '../../lib/jobs/views/fitting-page.ts';
import { viewSummary } from '../../lib/jobs/views/job-view.ts';
import { listJobs } from '../../lib/jobs/views/list-jobs.ts';

/** `GET /jobs` */
export const handler = handle(route, createList, async ({ query }, { core }, context) => {
  const { limit = LIMITS.list.default } = query;
  const { items, page } = await fittingPage(limit, async (most) => {
    const read = await listJobs(context, { ...query, limit: most });
    const annotated = await context.waiting.annotate(read.items.map(({ job }) => job));
    const shown = annotated.map((job, at) =>
      viewSummary(job, read.items[at]?.labels ?? {}, core.env.PROMPTQ_TIMEOUT_UNIT),
    );
    return { items: shown, page: read };
  });
  return {
    body: {
      items,
      total: page.total,
      total_complete: page.totalComplete,
      offset: page.offset,
      limit,
      status_counts: page.statusCounts,
      next_cursor: page.nextCursor ?? null,
    },
  };
});
