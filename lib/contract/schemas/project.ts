import * as z from 'zod';
import { nextCursor } from './fields/page.ts';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './jobs/job-state.ts';
import { projectSettingsShape } from './project-settings.ts';

/** An item of `GET /projects`. */
const project = z
  .object({
    id: z.string(),
    name: z.string(),
    workspace: z.string().meta({ description: 'Folder on the workers in which jobs of the project work.' }),
    created_at: timestamp,
    last_activity_at: timestamp
      .nullable()
      .meta({ description: 'When the status of a job of the project last changed.' }),
    job_counts: statusCounts,
    ...projectSettingsShape,
  })
  .meta({ id: 'Project' });

/** `GET /projects`. */
export const projectList = z.object({ items: z.array(project), next_cursor: nextCursor }).meta({ id: 'ProjectList' });
