import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { dataOf } from '../../client/data-of.ts';
import type { Promptq, Schemas } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { ago, fields, table } from '../base/table.ts';
import { wholeList } from '../jobs/pages.ts';

interface TemplatesOptions {
  readonly templateVersion?: number;
  readonly name?: string;
  readonly names?: true;
  readonly json?: true;
}

type Action = (context: Context, client: Promptq, target: string, options: TemplatesOptions) => Promise<Printed>;

/** What an action answers, and its text for people. */
interface Printed {
  readonly value: object;
  readonly text: string;
}

/** Lists the templates, or does with one what the action says. */
export async function run(
  context: Context,
  [action = 'list', target]: readonly string[],
  options: TemplatesOptions,
): Promise<number> {
  const { terminal } = context;
  const act = ACTIONS[action];
  if (act === undefined || (target === undefined && action !== 'list'))
    throw usageError(`${action} needs ${action === 'save' ? 'a file' : 'the name of a template'}`);
  const printed = await act(context, await clientOf(context), target ?? '', options);
  await (options.json ? terminal.printJson(printed.value) : terminal.print(printed.text));
  return EXIT.succeeded;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: async (_, client, __, { names }) => {
    const list = await wholeList((query) => client.api.GET('/api/v1/templates', { params: { query } }));
    const rows = list.items.map(({ name, version, parameters, updated_at, description }) => [
      ...[name, version, parameters.map((parameter) => parameter.name).join(' '), ago(updated_at), description],
    ]);
    const all = table(['NAME', 'VERSION', 'PARAMETERS', 'CHANGED', 'DESCRIPTION'], rows);
    return { value: list, text: names ? completions(list.items) : all };
  },
  show: async (_, client, name, { templateVersion: version }) => {
    const query = version === undefined ? {} : { version };
    const template = await dataOf(client.api.GET('/api/v1/templates/{name}', { params: { path: { name }, query } }));
    return { value: template, text: described(template) };
  },
  versions: async (_, client, name) => {
    const list = await wholeList((query) =>
      client.api.GET('/api/v1/templates/{name}/versions', { params: { path: { name }, query } }),
    );
    const rows = list.items.map(({ version, updated_at }) => [version, updated_at]);
    return { value: list, text: table(['VERSION', 'SAVED'], rows) };
  },
  save: async (context, client, file, options) => {
    const { name, body } = await readTemplate(context, file, options);
    const saved = await dataOf(client.api.PUT('/api/v1/templates/{name}', { params: { path: { name } }, body }));
    return { value: saved, text: `${saved.name} is version ${saved.version}` };
  },
  delete: async (_, client, name) => {
    const deleted = await dataOf(client.api.DELETE('/api/v1/templates/{name}', { params: { path: { name } } }));
    const text = `${deleted.name} is deleted; its versions up to ${deleted.version} can still be read`;
    return { value: deleted, text };
  },
};

/** bash expands the words that it completes from: names of templates have none of what it expands. */
function completions(items: readonly Schemas['Template'][]): string {
  return items
    .map(({ name }) => name)
    .filter((name) => /^[\w.-]+$/.test(name))
    .join('\n');
}

/**
 * A template in JSON or YAML, as a configuration file or `templates show --json` has it.
 * @throws CommandError if it can't be read, or has no name
 */
async function readTemplate(
  { stdin }: Context,
  file: string,
  options: TemplatesOptions,
): Promise<{ readonly name: string; readonly body: Schemas['TemplateWrite'] }> {
  const written = file === '-' ? text(stdin) : readFile(file, 'utf8');
  const source = await written.catch((error: Error) => {
    throw usageError(`can't read the template: ${error.message}`);
  });
  const { parse } = await import('yaml');
  let template: unknown;
  try {
    template = parse(source);
  } catch (error) {
    throw usageError(`${file} is neither JSON nor YAML: ${harmless((error as Error).message)}`);
  }
  if (typeof template !== 'object' || template === null || Array.isArray(template))
    throw usageError(`${file} has no template; expected its members, such as name and prompt`);
  const { name, version: _, updated_at: __, ...body } = template as Readonly<Record<string, unknown>>;
  const called = options.name ?? name;
  if (typeof called !== 'string') throw usageError(`${file} names no template; add its name, or give --name`);
  // The service judges the members.
  return { name: called, body: body as Schemas['TemplateWrite'] };
}

function described(template: Schemas['Template']): string {
  const { name, version, parameters, rule_ids: rules, tags } = template;
  const settings = fields([
    ['name', name],
    ['version', `${version}, of ${template.updated_at}`],
    ['description', template.description],
    ['title', template.title],
    ['project', template.project],
    ['profile', template.profile],
    ['model', template.model],
    ['rules', rules?.join(', ')],
    ['tags', tags?.join(', ')],
    ['cwd', template.cwd],
    ['priority', template.priority],
    ['retries', template.retries],
    ['timeout', template.timeout],
    ['environment', template.environment ? 'commands get the values as PROMPTQ_PARAM_NAME' : undefined],
    ['run it', `promptq run -t ${[name, ...parameters.filter(isNeeded).map((one) => `${one.name}=…`)].join(' ')}`],
  ]);
  const rows = parameters.map((parameter) => [
    parameter.name,
    parameter.values === null ? parameter.type : parameter.values.join(' | '),
    isNeeded(parameter) ? 'yes' : null,
    parameter.default == null ? null : String(parameter.default),
    parameter.description,
  ]);
  const list = rows.length === 0 ? [] : [table(['PARAMETER', 'TYPE', 'NEEDED', 'DEFAULT', 'DESCRIPTION'], rows)];
  const extra = template.extra_prompt === null ? [] : [harmless(template.extra_prompt)];
  return [settings, ...list, harmless(template.prompt), ...extra].join('\n\n');
}

function isNeeded({ required, default: fallback }: Schemas['TemplateParameterView']): boolean {
  return required && fallback == null;
}
