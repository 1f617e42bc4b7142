import type { RenderedTemplate, RenderRequest } from '../contract/schemas/template.ts';
import type { Registry } from '../platform/registry.ts';
import { composed, type ProjectValues, requireNoValues } from './from-template.ts';
import type { ProfileStore } from './profiles.ts';
import { requireTemplate, viewSettings } from './templates.ts';

interface RenderContext {
  readonly registry: Registry;
  readonly profiles: Pick<ProfileStore, 'get'>;
  readonly defaultProfile: string;
  readonly valuesOfProject: ProjectValues;
}

/**
 * The prompts and settings that a job of a template would have.
 * @throws ApiError `not_found`; InvalidFieldError as the creation of the job would
 */
export async function renderTemplate(
  { registry, profiles, defaultProfile, valuesOfProject }: RenderContext,
  name: string,
  { template_version, parameters = {}, profile, project }: RenderRequest,
): Promise<RenderedTemplate> {
  const version = await requireTemplate(registry, name, template_version);
  const { request, from } = await composed(version, { profile, project }, { parameters, valuesOfProject });
  const used = await profiles.get(request.profile ?? defaultProfile);
  if (used !== undefined) requireNoValues(used, from);
  const { prompt = '', extra_prompt, title } = request;
  return {
    ...{ name, version: from.version, parameters: from.parameters, prompt },
    ...{ extra_prompt: extra_prompt ?? null, title: title ?? null, environment: from.in_environment },
    ...viewSettings(request),
  };
}
