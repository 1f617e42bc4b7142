import { join } from 'node:path';
import type * as z from 'zod';
import { ApiError, InvalidFieldError } from '../contract/errors.ts';
import { projectName } from '../contract/schemas/jobs/job-creation.ts';
import type { ProjectEdit, projectSettings } from '../contract/schemas/project-settings.ts';
import { type ProjectSettingsStore, viewProjectSettings } from './project-settings.ts';
import type { ProjectStore } from './projects.ts';
import { type AddressRules, addressFault } from './repository-address.ts';

interface EditProjectContext {
  readonly projects: ProjectStore;
  readonly settings: ProjectSettingsStore;
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
  readonly rules: () => AddressRules;
}

/**
 * Changes the settings of a project.
 * @param reference its id or name
 * @param options.create whether a project that does not exist is created, if jobs could name it
 * @throws ApiError `not_found`; InvalidFieldError if the repository's address is invalid
 */
export async function editProject(
  { projects, settings, workspaces, rules }: EditProjectContext,
  reference: string,
  edit: ProjectEdit,
  { create }: { readonly create: boolean },
): Promise<z.input<typeof projectSettings>> {
  const fault = edit.repository ? addressFault(edit.repository, rules()) : undefined;
  if (fault !== undefined) throw InvalidFieldError.of('repository', fault);
  const isName = projectName.safeParse(reference).success;
  const project = await (create && isName ? projects.resolve(reference) : projects.find(reference));
  if (project === undefined) throw ApiError.of('not_found');
  const changed = await settings.change(project.id, edit);
  return { ...project, workspace: join(workspaces, project.id), ...viewProjectSettings(changed) };
}
