import { removeEntry, writeEntry } from '../../../lib/catalog/catalog.ts';
import { TEMPLATES } from '../../../lib/catalog/templates.ts';
import type { NewJob } from '../../../lib/contract/schemas/jobs/one-name.ts';
import { type Template, templateWrite } from '../../../lib/contract/schemas/template.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { type JobTexts, textsKey } from '../../../lib/jobs/store/job-texts.ts';
import type { Clock } from '../../../lib/platform/aws/table-clock.ts';
import type { Registry } from '../../../lib/platform/registry.ts';
import type { Item } from '../model/expressions.ts';
import type { ModelDeployment } from './deployment.ts';

const NAMES = ['greeting', 'farewell'] as const;

/** How many of the new jobs are made from a template. */
const FROM_TEMPLATE = 0.15;

/** How many changes of a template delete it. */
const DELETING = 0.25;

/** An administrator's change of a template. */
export interface TemplateChange {
  readonly name: string;
  /** undefined: it is deleted. */
  readonly template: Template | undefined;
}

/**
 * Templates that are written and deleted while jobs are created from them. Every version stays as it was written, the
 * numbers of versions have no gap, and the prompt of a job is that of its version with its values.
 */
export class ModelTemplates {
  readonly #deployment: ModelDeployment;
  /** What each version holds, by the name of its template, from version 1. */
  readonly #versions = new Map<string, string[]>();
  #texts = 0;

  constructor(deployment: ModelDeployment) {
    this.#deployment = deployment;
  }

  /** Members of a job that is created from a template; undefined: it is not. */
  nextCreation(): Pick<NewJob, 'template' | 'template_version' | 'parameters'> | undefined {
    const { random } = this.#deployment;
    if (!random.chance(FROM_TEMPLATE)) return undefined;
    const template = random.pick(NAMES);
    const versions = this.#versions.get(template) ?? [];
    return {
      template,
      parameters: { whom: random.pick(['you', '{{ count }}', '{{"{{"}}', '$(whom)']), count: random.integer(1, 1_000) },
      ...(versions.length > 0 && random.chance(0.3) && { template_version: random.integer(1, versions.length) }),
    };
  }

  nextChange(): TemplateChange {
    const { random } = this.#deployment;
    const name = random.pick(NAMES);
    if (random.chance(DELETING)) return { name, template: undefined };
    // Now and then the same as before, which is no change.
    if (random.chance(0.8)) this.#texts += 1;
    const parameters = [
      { name: 'whom', type: 'text' },
      { name: 'count', type: 'number' },
    ];
    const prompt = `text ${this.#texts}: {{"{{"}}say}} {{whom}} {{ count }} times, {{whom}}`;
    return { name, template: templateWrite.parse({ prompt, parameters, retries: random.integer(0, 2) }) };
  }

  /** What is wrong with a write to the registry. */
  faultOfWrite(before: Item | undefined, after: Item | undefined): string | undefined {
    const name = /^template_version#(.*)$/.exec(String((after ?? before)?.kind))?.[1];
    if (name === undefined) return undefined;
    if (after === undefined) return `a version of the template ${name} was deleted`;
    const versions = this.#versions.get(name) ?? [];
    if (before !== undefined) return before.content === after.content ? undefined : `a version of ${name} was changed`;
    if (Number(after.version) !== versions.length + 1)
      return `version ${after.version} of ${name} was written after ${versions.length}`;
    this.#versions.set(name, [...versions, String(after.content)]);
    return undefined;
  }

  /** What is wrong with a job as it is stored first. */
  faultOfCreation(before: Job | undefined, after: Job): string | undefined {
    if (before !== undefined || after.template === undefined) return undefined;
    this.#deployment.tellEvent('created from a template');
    const { name, version } = after.template;
    const texts = this.#textsOf(after);
    const content = this.#versions.get(name)?.[version - 1];
    if (content === undefined) return `its template ${name} has no version ${version}`;
    if (texts?.from?.name !== name || texts.from.version !== version) return 'its texts are of another template';
    const { parameters } = texts.from;
    const parts = /^(text \d+: )/.exec(JSON.parse(content).prompt)?.[1];
    const expected = `${parts}{{say}} ${parameters.whom} ${parameters.count} times, ${parameters.whom}`;
    return texts.prompt === expected ? undefined : `its prompt is ${texts.prompt}, and its template makes ${expected}`;
  }

  #textsOf(job: Job): JobTexts | undefined {
    const body = this.#deployment.registry.get(textsKey(job), true)?.body;
    return typeof body === 'string' ? JSON.parse(body) : undefined;
  }
}

/** Writes or deletes a template. @returns whether it was there to be deleted, or has a new version */
export async function changeTemplate(
  registry: Registry & { readonly clock: Clock },
  { name, template }: TemplateChange,
): Promise<'created' | 'updated' | 'unchanged' | 'deleted'> {
  if (template !== undefined) return (await writeEntry(registry, 'templates', { name, ...template })).change;
  await removeEntry(registry, TEMPLATES, name, { defaultProfile: 'codex' });
  return 'deleted';
}
