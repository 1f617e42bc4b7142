import { join } from 'node:path';
import type * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { projectSettings } from '../contract/schemas/project-settings.ts';
import { readProjectStats } from '../counters/stats-items.ts';
import type { Registry } from '../platform/registry.ts';
import { viewProjectSettings } from './project-settings.ts';
import type { ProjectStore } from './projects.ts';

/** Dependencies for removing a project. */
interface RemoveProjectContext {
  readonly registry: Registry;
  readonly projects: ProjectStore;
  /** Lists the deploy bindings of a project, by its id. */
  readonly bindings: { list(projectId: string): Promise<readonly unknown[]> };
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
}

/**
 * Removes a project that has no jobs, deploy bindings or diagrams.
 * @param reference its id or name
 * @returns the removed project
 * @throws ApiError `not_found`; `invalid_state` while it has any
 */
export async function removeProject(
  { registry, projects, bindings, workspaces }: RemoveProjectContext,
  reference: string,
): Promise<z.input<typeof projectSettings>> {
  const project = await projects.find(reference);
  if (project === undefined) throw ApiError.of('not_found');
  const [stats] = await readProjectStats(registry, [project]);
  const jobs = Object.values(stats?.jobCounts ?? {}).reduce((sum, count) => sum + count, 0);
  const bound = (await bindings.list(project.id)).length;
  const removed = jobs > 0 || bound > 0 ? 'kept' : await projects.remove(project.id);
  if (removed === undefined) throw ApiError.of('not_found');
  if (removed === 'kept') {
    const diagrams = await projects.diagramCount(project.id);
    const parts = [counted(jobs, 'job'), counted(bound, 'deploy binding'), counted(diagrams, 'diagram')];
    throw ApiError.because(
      'invalid_state',
      `delete: project ${project.id} has ${WORDS.format(parts)}; only an empty project can be deleted`,
      { action: 'delete', jobs, bindings: bound, diagrams },
    );
  }
  const { settings, ...rest } = removed;
  return { ...rest, workspace: join(workspaces, project.id), ...viewProjectSettings(settings) };
}

const WORDS = new Intl.ListFormat('en-GB');

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
