import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { ProjectEdit } from '../contract/schemas/project-settings.ts';
import type { Registry } from '../platform/registry.ts';
import { untilFirst } from '../platform/until-first.ts';

/** Settings are stored in the project's item. */
const KIND = 'project';

/** How the jobs of a project run; absent: not set. */
export const projectSettingsSchema = z.object({
  repository: z.string().optional(),
  ref: z.string().optional(),
  setup: z.string().optional(),
  secret: z.string().optional(),
  exclusive_cwd: z.boolean().optional(),
});
export type ProjectSettings = z.output<typeof projectSettingsSchema>;

const itemSchema = z.object({ settings: projectSettingsSchema.default({}), settings_version: z.number().default(0) });

/** The key of the item with a project's settings. */
export function settingsKey(projectId: string): { kind: string; id: string } {
  return { kind: KIND, id: projectId };
}

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
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: Registry) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
  }

  async get(projectId: string): Promise<ProjectSettings> {
    return readSettingsItem(await this.#read(projectId));
  }

  /**
   * Changes the given settings; an empty text removes one.
   * @throws ApiError `not_found` if the project does not exist
   */
  async change(projectId: string, edit: ProjectEdit): Promise<ProjectSettings> {
    return await untilFirst(async () => {
      const read = await this.#read(projectId);
      if (read === undefined) throw ApiError.of('not_found');
      const { settings, settings_version: version } = itemSchema.parse(read);
      const next = projectSettingsSchema.parse(without({ ...settings, ...edit }));
      return (await this.#write(projectId, next, version)) ? { result: next } : undefined;
    });
  }

  /** Consistently: a setting applies to every attempt that starts after its change was answered. */
  async #read(projectId: string): Promise<Record<string, unknown> | undefined> {
    const { Item } = await this.#table.send(
      new GetCommand({ TableName: this.#tableName, Key: settingsKey(projectId), ConsistentRead: true }),
    );
    return Item;
  }

  /** @returns false if another writer was faster */
  async #write(projectId: string, settings: ProjectSettings, version: number): Promise<boolean> {
    try {
      await this.#table.send(
        new UpdateCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id: projectId },
          UpdateExpression: 'SET settings = :settings, settings_version = :next',
          ConditionExpression:
            'attribute_exists(id) AND (settings_version = :known OR attribute_not_exists(settings_version))',
          ExpressionAttributeValues: { ':settings': settings, ':next': version + 1, ':known': version },
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }
}

function without(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== '' && value !== undefined));
}
