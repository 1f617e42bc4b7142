import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ApiError } from '../contract/errors.ts';
import type { PageQuery } from '../contract/schemas/fields/page.ts';
import type { Template, TemplateView } from '../contract/schemas/template.ts';
import type { Registry } from '../platform/registry.ts';
import { registryPage } from '../platform/registry-page.ts';
import type { CatalogKind } from './catalog-kind.ts';
import { versionKey, versionKind } from './entry-versions.ts';

/** The kind of the registry's items that are the newest versions of templates. */
const TEMPLATE_KIND = 'template';

/** A version of a template. */
export interface TemplateVersion {
  readonly name: string;
  readonly version: number;
  readonly template: Template;
  readonly updated_at: string;
}

/** The template is a text: DynamoDB has no order of members, and does not store every number. */
const storedSchema = z.object({ name: z.string(), version: z.number(), content: z.string(), updated_at: z.string() });

/** The version in a stored item. */
export function readTemplate(item: Readonly<Record<string, unknown>>): TemplateVersion {
  const { content, ...stored } = storedSchema.parse(item);
  return { ...stored, template: JSON.parse(content) };
}

function templateKey(name: string): { kind: string; id: string } {
  return { kind: TEMPLATE_KIND, id: name };
}

export const TEMPLATES: CatalogKind<'templates', TemplateVersion> = {
  list: 'templates',
  kind: TEMPLATE_KIND,
  isVersioned: true,
  nameOf: ({ name }) => name,
  imported: ({ name, ...template }, before, at, version) => {
    const content = JSON.stringify(template);
    return {
      item: { ...templateKey(name), name, version, content, updated_at: at },
      isSame: before !== undefined && isDeepStrictEqual(readTemplate(before).template, JSON.parse(content)),
      isNew: before === undefined,
    };
  },
  exported: (item) => {
    const { name, template } = readTemplate(item);
    return { name, ...template };
  },
  removed: (_name, item) => {
    if (item === undefined) throw ApiError.of('not_found');
    return { answer: readTemplate(item) };
  },
};

/** The newest version of a template; undefined: there is none of this name. */
export async function newestTemplate(registry: Registry, name: string): Promise<TemplateVersion | undefined> {
  return await readItem(registry, templateKey(name));
}

/** A version, also of a deleted template. */
export async function templateVersion(
  registry: Registry,
  name: string,
  version: number,
): Promise<TemplateVersion | undefined> {
  return await readItem(registry, versionKey(TEMPLATE_KIND, name, version));
}

/** @param version default: the newest. @throws ApiError `not_found` */
export async function requireTemplate(registry: Registry, name: string, version?: number): Promise<TemplateVersion> {
  const found = await (version === undefined
    ? newestTemplate(registry, name)
    : templateVersion(registry, name, version));
  if (found === undefined) throw ApiError.of('not_found');
  return found;
}

interface TemplatePage {
  readonly items: readonly TemplateVersion[];
  readonly nextCursor: string | null;
}

/** A page of templates in name order. */
export async function templatePage(registry: Registry, query: PageQuery): Promise<TemplatePage> {
  const { items, nextCursor } = await registryPage(registry, TEMPLATE_KIND, query);
  return { items: items.map(readTemplate), nextCursor };
}

/** A page of the versions of a template, newest first. @throws ApiError `not_found` if it never existed */
export async function versionPage(registry: Registry, name: string, query: PageQuery): Promise<TemplatePage> {
  const { items, nextCursor } = await registryPage(registry, versionKind(TEMPLATE_KIND, name), query, {
    order: 'last',
  });
  if (items.length === 0 && query.cursor === undefined) throw ApiError.of('not_found');
  return { items: items.map(readTemplate), nextCursor };
}

async function readItem(
  { table, registryTable }: Registry,
  Key: { readonly kind: string; readonly id: string },
): Promise<TemplateVersion | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: registryTable, Key, ConsistentRead: true }));
  return Item && readTemplate(Item);
}

/** The settings of a template as the API returns them. */
export function viewSettings(template: Omit<Template, 'prompt'>) {
  const { rule_ids, profile, model, priority, timeout, retries, tags, cwd, project } = template;
  return {
    rule_ids: rule_ids ?? null,
    profile: profile ?? null,
    model: model ?? null,
    priority: priority ?? null,
    timeout: timeout ?? null,
    retries: retries ?? null,
    tags: tags ?? null,
    cwd: cwd ?? null,
    project: project ?? null,
  };
}

/** A version as the API returns it. */
export function viewTemplate({ name, version, template, updated_at }: TemplateVersion): TemplateView {
  const { description, prompt, extra_prompt, title, parameters = [], environment = false } = template;
  return {
    name,
    version,
    description: description ?? null,
    prompt,
    extra_prompt: extra_prompt ?? null,
    title: title ?? null,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: parameter.type,
      description: parameter.description ?? null,
      required: parameter.required !== false && parameter.default === undefined,
      ...(parameter.default !== undefined && { default: parameter.default }),
      ...(parameter.example !== undefined && { example: parameter.example }),
      pattern: parameter.pattern ?? null,
      values: parameter.values ?? null,
    })),
    environment,
    ...viewSettings(template),
    updated_at,
  };
}
