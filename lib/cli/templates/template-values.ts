import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { dataOf } from '../../client/data-of.ts';
import { RequestError } from '../../client/errors.ts';
import type { JobFields, Promptq, Schemas } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { valueOfText } from '../../contract/templates/parameter-values.ts';
import type { Context } from '../base/context.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { fields } from '../base/table.ts';

/*
 * `promptq run -t NAME key=value`. A shell knows texts only, so the template says which of them is a number. The job is
 * then created from the version that was read, whatever is saved meanwhile. All else is for the service to judge: it
 * lists every fault at once.
 */

export interface TemplateOptions {
  readonly template?: string;
  readonly templateVersion?: number;
  readonly valueFile?: readonly string[];
  readonly preview?: true;
  readonly json?: true;
}

/** @param values `NAME=VALUE` of each parameter @throws CommandError for values that can't be read */
export async function templateFields(
  context: Context,
  client: Promptq,
  values: readonly string[],
  { template: name = '', templateVersion: version, valueFile = [] }: TemplateOptions,
): Promise<JobFields> {
  const texts = [
    ...values.map((value) => assignment(value, 'after --template, a value is')),
    ...(await Promise.all(valueFile.map(async (value) => await fromFile(context, value)))),
  ];
  const names = texts.map(([key]) => key);
  const twice = names.find((key, at) => names.indexOf(key) < at);
  if (twice !== undefined) throw usageError(`${twice} has two values`);
  const query = version === undefined ? {} : { version };
  const read = dataOf(client.api.GET('/api/v1/templates/{name}', { params: { path: { name }, query } }));
  const template = await read.catch((error: unknown) => {
    if (!(error instanceof RequestError) || error.status !== 404) throw error;
    const what = version === undefined ? 'template' : `version ${version} of a template`;
    throw new CommandError(EXIT.notFound, `there is no ${what} ${harmless(name)}; \`promptq templates\` lists them`);
  });
  const parameters = Object.fromEntries(texts.map(([key, value]) => [key, typed(template, key, value)]));
  const { project, cwd } = template;
  return {
    ...{ template: name, template_version: template.version, parameters },
    // Where the template has its jobs work. Otherwise a job of `run` works in the checkout.
    ...(project !== null && { project }),
    ...(cwd !== null && { cwd }),
  };
}

/** @throws CommandError for what only a template takes */
export function checkWithoutTemplate(values: readonly string[], options: TemplateOptions): void {
  if (values.length > 0)
    throw usageError(
      `too many arguments: values of parameters need --template. Put a text of several words in quotes: "Say hello"`,
    );
  const [option] = [
    ...(options.templateVersion === undefined ? [] : ['--template-version']),
    ...(options.valueFile === undefined ? [] : ['--value-file']),
    ...(options.preview ? ['--preview'] : []),
  ];
  if (option !== undefined) throw usageError(`${option} needs --template`);
}

/** An unknown parameter stays a text. */
function typed({ parameters }: Schemas['Template'], name: string, value: string): string | number | boolean {
  const parameter = parameters.find((one) => one.name === name);
  return parameter === undefined ? value : valueOfText(parameter, value);
}

function assignment(given: string, where: string): readonly [name: string, value: string] {
  const at = given.indexOf('=');
  if (at < 1) throw usageError(`received ${JSON.stringify(given)}; ${where} NAME=VALUE`);
  return [given.slice(0, at), given.slice(at + 1)];
}

async function fromFile({ stdin }: Context, given: string): Promise<readonly [name: string, value: string]> {
  const [name, file] = assignment(given, '--value-file takes');
  if (file === '-') return [name, await text(stdin)];
  const value = await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`can't read the value of ${name}: ${error.message}`);
  });
  return [name, value];
}

/** Prints the prompt and the settings that a job with these fields would have. @returns the exit code */
export async function preview(
  { terminal }: Context,
  client: Promptq,
  { template, ...of }: JobFields,
  { json }: TemplateOptions,
): Promise<number> {
  const name = template ?? '';
  const { template_version, parameters, profile, project } = of;
  const body = Object.fromEntries(
    Object.entries({ template_version, parameters, profile, project }).filter(([, value]) => value !== undefined),
  );
  const made = await dataOf(client.api.POST('/api/v1/templates/{name}/render', { params: { path: { name } }, body }));
  if (json) await terminal.printJson(made);
  else await terminal.print(described(made));
  return EXIT.succeeded;
}

function described(made: Schemas['RenderedTemplate']): string {
  const settings = fields([
    ['template', `${made.name} version ${made.version}`],
    ['values', JSON.stringify(made.parameters)],
    ['title', made.title],
    ['project', made.project],
    ['profile', made.profile],
    ['model', made.model],
    ['rules', made.rule_ids?.join(', ')],
    ['tags', made.tags?.join(', ')],
    ['cwd', made.cwd],
  ]);
  const prompts = [made.prompt, made.extra_prompt].filter((one) => one !== null);
  return [settings, ...prompts.map(harmless)].join('\n\n');
}
