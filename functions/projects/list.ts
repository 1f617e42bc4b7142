import { join } from 'node:path';
import { handle } from '../../lib/api/serve.ts';
import { listProjects as route } from '../../lib/contract/routes/catalog.ts';
import { readProjectStats } from '../../lib/counters/stats-items.ts';
import { viewProjectSettings } from '../../lib/projects/project-settings.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';

/** `GET /projects` */
export const handler = handle(
  route,
  ({ registry }) => ({ registry, projects: new ProjectStore(registry) }),
  async ({ query }, { core }, { registry, projects }) => {
    const { items, nextCursor } = await projects.page(query);
    return {
      body: {
        items: (await readProjectStats(registry, items)).map(({ project: { settings, ...project }, ...stats }) => ({
          ...project,
          workspace: join(core.env.PROMPTQ_WORKSPACES, project.id),
          last_activity_at: stats.lastActivityAt,
          job_counts: stats.jobCounts,
          ...viewProjectSettings(settings),
        })),
        next_cursor: nextCursor,
      },
    };
  },
);
