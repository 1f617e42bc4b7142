import * as z from 'zod';
import type { ProjectEdit } from '../contract/schemas/project-settings.ts';
import type { Registry } from '../platform/registry.ts';
import { changeProjectItem, readProjectItem } from './project-item.ts';

/** How the jobs of a project run; absent: not set. */
export const projectSettingsSchema = z.object({
  repository: z.string().optional(),
  ref: z.string().optional(),
  setup: z.string().optional(),
  secret: z.string().optional(),
  exclusive_cwd: z.boolean().optional(),
});
export type ProjectSettings = z.output<typeof projectSettingsSchema>;

const itemSchema = z.object({ settings: projectSettingsSchema.default({}) });

/** The settings in a project's item; undefined: there is none. */
export function readSettingsItem(item: Record<string, unknown> | undefined): ProjectSettings {
  return item === undefined ? {} : itemSchema.parse(item).settings;
}

/** A project's settings as clients see them. */
export function viewProjectSettings({ repository, ref, setup, secret, exclusive_cwd }: ProjectSettings) {
  return {
    repository: repository ?? null,
    ref: ref ?? null,
    setup: setup ?? null,
    secret: secret ?? null,
    exclusive_cwd: exclusive_cwd ?? false,
  };
}

/** The settings of projects. */
export class ProjectSettingsStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async get(projectId: string): Promise<ProjectSettings> {
    return readSettingsItem(await readProjectItem(this.#registry, projectId));
  }

  /**
   * Changes the given settings; an empty text removes one.
   * @throws ApiError `not_found` if the project does not exist
   */
  async change(projectId: string, edit: ProjectEdit): Promise<ProjectSettings> {
    return await changeProjectItem(this.#registry, projectId, 'settings', (item) =>
      projectSettingsSchema.parse(without({ ...readSettingsItem(item), ...edit })),
    );
  }
}

function without(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined));
}
