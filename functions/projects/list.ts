import { join } from 'node:path';
import { openCatalog, openProjects } from '../../lib/api/runtime/open-catalog.ts';
import { serve } from '../../lib/api/serve.ts';
import { listProjects as route } from '../../lib/contract/routes/catalog.ts';
import { viewProjectSettings } from '../../lib/projects/project-settings.ts';
import { projectFigures } from '../../lib/projects/project-stats.ts';

/** `GET /projects` */
export const handler = serve(
  route,
  (core) => ({ registry: openCatalog(core), projects: openProjects(core) }),
  async ({ query }, { core }, { registry, projects }) => {
    const { items, nextCursor } = await projects.page(query);
    return {
      body: {
        items: (await projectFigures(registry, items)).map(({ project: { settings, ...project }, ...figures }) => ({
          ...project,
          workspace: join(core.env.PROMPTQ_WORKSPACES, project.id),
          last_activity_at: figures.lastActivityAt,
          job_counts: figures.jobCounts,
          ...viewProjectSettings(settings),
        })),
        next_cursor: nextCursor,
      },
    };
  },
);
