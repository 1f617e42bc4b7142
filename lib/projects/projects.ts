import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import { timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import { registryPage } from '../platform/registry-page.ts';
import { readDiagramCount, readProjectItem } from './project-item.ts';
import { type ProjectSettings, projectSettingsSchema } from './project-settings.ts';

const KIND = 'project';

/** The project of jobs that name none; both id and name. */
export const DEFAULT_PROJECT = 'local_project';

const projectSchema = z.object({ id: z.string(), name: z.string(), created_at: z.string() });
export type Project = z.output<typeof projectSchema>;

/** A project with its settings. */
type SetProject = Project & { readonly settings: ProjectSettings };
const setProjectSchema = projectSchema.extend({ settings: projectSettingsSchema.default({}) });

/** Projects by id or name. Resolving an unknown name creates the project. */
export class ProjectStore {
  readonly #table: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #clock: Clock;

  constructor(options: Registry & { clock: Clock }) {
    this.#table = options.table;
    this.#tableName = options.registryTable;
    this.#clock = options.clock;
  }

  /** The project with this id or name; created if it does not exist. */
  async resolve(reference: string): Promise<Project> {
    return (await this.find(reference)) ?? (await this.create(reference));
  }

  /** The project with this id or name, if it exists. */
  async find(reference: string): Promise<Project | undefined> {
    for (const key of projectKeys(reference)) {
      const project = await this.#get(key);
      if (project !== undefined) return project;
    }
    return undefined;
  }

  /** @returns the removed project; `kept`, because it has diagrams; undefined if it no longer exists */
  async remove(id: string): Promise<SetProject | 'kept' | undefined> {
    // Read first: a delete whose answer was lost is repeated, and then finds nothing.
    const Item = await this.#item(id);
    if (Item === undefined) return undefined;
    try {
      await this.#table.send(
        new DeleteCommand({
          TableName: this.#tableName,
          Key: { kind: KIND, id },
          ConditionExpression: 'attribute_not_exists(diagrams) OR diagrams = :none',
          ExpressionAttributeValues: { ':none': 0 },
        }),
      );
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return 'kept';
      throw error;
    }
    return setProjectSchema.parse(Item);
  }

  /** The number of the diagrams of a project, as of now. */
  async diagramCount(id: string): Promise<number> {
    return readDiagramCount(await this.#item(id));
  }

  /** Sorted by id. */
  async page(query: PageQuery): Promise<{ items: SetProject[]; nextCursor: string | null }> {
    const registry = { table: this.#table, registryTable: this.#tableName };
    const { items, nextCursor } = await registryPage(registry, KIND, query);
    return { items: items.map((item) => setProjectSchema.parse(item)), nextCursor };
  }

  async #item(id: string): Promise<Record<string, unknown> | undefined> {
    return await readProjectItem({ table: this.#table, registryTable: this.#tableName }, id);
  }

  async #get(key: { kind: string; id: string }): Promise<Project | undefined> {
    const { Item } = await this.#table.send(new GetCommand({ TableName: this.#tableName, Key: key }));
    return Item && projectSchema.parse(Item);
  }

  /** A project of this name; the existing one if there is one by now. */
  async create(name: string): Promise<Project> {
    const project: Project = { id: projectIdOf(name), name, created_at: timestamp(this.#clock.now()) };
    try {
      await this.#table.send(
        new PutCommand({
          TableName: this.#tableName,
          Item: { kind: KIND, ...project },
          ConditionExpression: 'attribute_not_exists(id)',
        }),
      );
      return project;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return (await this.#get({ kind: KIND, id: project.id })) ?? project;
    }
  }
}

/** The keys of the items that a project's id or name may mean, the likelier first. */
export function projectKeys(reference: string): { kind: string; id: string }[] {
  const ids = isId(reference) ? [reference] : [projectIdOf(reference), reference];
  return ids.map((id) => ({ kind: KIND, id }));
}

/** The project in a stored item. */
export function readProject(item: Record<string, unknown>): Project {
  return projectSchema.parse(item);
}

/** The id for a project's name: the name if it is valid as a folder and a message group, else a readable hash. */
export function projectIdOf(name: string): string {
  if (isId(name)) return name;
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 10);
  return `${readable === '' ? 'project' : readable}-${hash}`;
}

function isId(text: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(text);
}
