/**
 * A job that is created from a template: the template's texts with the values of the request, and those of its settings
 * that the request does not set. From then on the job is one like any other, so changing or deleting the template changes
 * nothing about it. It keeps the name and the version of the template, and the values.
 *
 * Values come from outside, so what they were put into is never a command: a job with values in its prompts is not given
 * to an agent that runs its prompt (`requireNoValues`).
 */
import { type FieldProblem, InvalidFieldError } from '../contract/errors.ts';
import { quoted } from '../contract/input/legible.ts';
import { editableShape } from '../contract/schemas/jobs/job-creation.ts';
import type { NewJob } from '../contract/schemas/jobs/one-name.ts';
import { composeTemplate } from '../contract/templates/compose-template.ts';
import type { ParameterValues } from '../contract/templates/parameter-values.ts';
import type { Registry } from '../platform/registry.ts';
import type { Profile } from './profiles.ts';
import { newestTemplate, type TemplateVersion, templateVersion } from './templates.ts';

/** What a job keeps of the template that it was created from. */
export interface FromTemplate {
  readonly name: string;
  readonly version: number;
  readonly parameters: ParameterValues;
  /** The prompts have placeholders, and so hold what others wrote. */
  readonly in_prompt: boolean;
  /** Commands of the job get the values as environment variables. */
  readonly in_environment: boolean;
}

/** The members of a request that concern templates. */
const TEMPLATE_MEMBERS = ['template', 'template_version', 'parameters'] as const;

/** A request as one without a template. */
interface Composed {
  readonly request: Omit<NewJob, (typeof TEMPLATE_MEMBERS)[number]>;
  /** undefined: it names no template. */
  readonly from: FromTemplate | undefined;
}

/** The values that a project gives. @param project undefined: neither request nor template names one */
export type ProjectValues = (project: string | undefined) => Promise<Readonly<Record<string, string>>>;

/**
 * The request that a request with a template stands for.
 * @throws InvalidFieldError for an unknown template, every fault of the values, or what makes no job
 */
export async function fromTemplate(
  registry: Registry,
  request: NewJob,
  valuesOfProject: ProjectValues,
): Promise<Composed> {
  const { template: name, template_version: version, parameters = {}, ...own } = request;
  if (name === undefined) {
    for (const member of TEMPLATE_MEMBERS)
      if (request[member] !== undefined) throw InvalidFieldError.of(member, 'is only for a job with template');
    return { request: own, from: undefined };
  }
  if (own.prompt !== undefined)
    throw InvalidFieldError.of('prompt', "can't be combined with template, which gives the prompt");
  return await composed(await findTemplate(registry, name, version), own, { parameters, valuesOfProject });
}

/** @throws InvalidFieldError naming `template` or `template_version` */
async function findTemplate(registry: Registry, name: string, version: number | undefined): Promise<TemplateVersion> {
  const newest = await newestTemplate(registry, name);
  if (newest === undefined)
    throw InvalidFieldError.of('template', `received ${quoted(name)}; there is no template of this name`);
  const isNewest = version === undefined || version === newest.version;
  const found = isNewest ? newest : await templateVersion(registry, name, version);
  if (found !== undefined) return found;
  throw InvalidFieldError.of('template_version', `received ${version}; the newest version is ${newest.version}`);
}

/**
 * A version of a template with values. The settings of a request replace those of the template.
 * @throws InvalidFieldError for every fault of the values, or of the texts that they make
 */
export async function composed(
  { name, version, template }: TemplateVersion,
  own: Composed['request'],
  values: { readonly parameters: Readonly<Record<string, unknown>>; readonly valuesOfProject: ProjectValues },
): Promise<Composed & { readonly from: FromTemplate }> {
  const {
    description: _description,
    parameters,
    environment = false,
    prompt,
    extra_prompt,
    title,
    ...others
  } = template;
  const replaced = definedOnly(own);
  const texts = {
    prompt,
    ...('extra_prompt' in replaced ? {} : { extra_prompt }),
    ...('title' in replaced ? {} : { title }),
  };
  const needsProject = parameters !== undefined && parameters.length > 0;
  const ofProject = needsProject ? await values.valuesOfProject(own.project ?? template.project) : {};
  const made = composeTemplate({ ...texts, parameters }, values.parameters, ofProject);
  const problems = 'problems' in made ? made.problems : textProblems(made.texts);
  if ('problems' in made || problems.length > 0) throw new InvalidFieldError(problems);
  return {
    request: { ...definedOnly(others), ...replaced, ...made.texts },
    from: { name, version, parameters: made.values, in_prompt: made.inPrompt, in_environment: environment },
  };
}

/** What is wrong with texts that values were put into. */
function textProblems({ prompt, title }: { readonly prompt: string; readonly title?: string }): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (prompt.trim() === '')
    problems.push({ fields: ['parameters'], problem: 'received values that make a prompt of only whitespace' });
  const { error } = editableShape.title.safeParse(title);
  if (error !== undefined)
    problems.push({ fields: ['title'], problem: `the template makes ${quoted(title)}; ${error.issues[0]?.message}` });
  return problems;
}

/**
 * The agent `shell` runs its prompt as a script, in which a value of a template would be a command.
 * @throws InvalidFieldError if the prompts have values, and the profile has this agent
 */
export function requireNoValues(
  { agent, name }: Pick<Profile, 'agent' | 'name'>,
  from: Pick<FromTemplate, 'in_prompt'> | undefined,
): void {
  if (agent !== 'shell' || from?.in_prompt !== true) return;
  throw InvalidFieldError.of(
    'profile',
    `received ${quoted(name)}, whose agent shell runs the prompt as a script, and the template has placeholders in it; ` +
      'a template with "environment": true gives a script its values as variables',
  );
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
