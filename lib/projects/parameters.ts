import * as z from 'zod';
import { ApiError, InvalidFieldError } from '../contract/errors.ts';
import { secretFault } from '../contract/input/secret-like.ts';
import { LIMITS } from '../contract/limits.ts';
import { type ParameterView, type ParameterWrite, parameterVariable } from '../contract/schemas/parameter.ts';
import { batchGet } from '../platform/aws/batch-get.ts';
import { type Clock, timestamp } from '../platform/aws/table-clock.ts';
import type { Registry } from '../platform/registry.ts';
import { changeProjectItem, readProjectItem } from './project-item.ts';
import { DEFAULT_PROJECT, type Project, type ProjectStore, projectKeys } from './projects.ts';

/*
 * The parameters of a project: values by name, which its jobs get as environment variables, and its templates as
 * defaults. They are in the project's item, so a claim reads them with the settings, in the same request, and they end
 * with the project. Everyone who reads projects reads them: what looks like a secret is refused.
 */

const storedSchema = z.object({
  value: z.string(),
  description: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
type Stored = z.output<typeof storedSchema>;

/** By name. */
type Parameters = Readonly<Record<string, Stored>>;

const itemSchema = z.object({ parameters: z.record(z.string(), storedSchema).default({}) });

interface ParameterContext {
  readonly registry: Registry;
  readonly projects: ProjectStore;
  readonly clock: Clock;
}

/** A parameter of a project, which is given by its id or name. */
interface Reference {
  readonly project: string;
  readonly name: string;
}

/** The values of the parameters in a project's item, by name; undefined: there is none. */
export function readParameterValues(item: Record<string, unknown> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(parametersIn(item)).map(([name, { value }]) => [name, value]));
}

/**
 * The values of a project's parameters, by name; none if it does not exist.
 * @param reference its id or name; default: the project of jobs that name none
 */
export async function parameterValues(
  { table, registryTable }: Registry,
  reference: string = DEFAULT_PROJECT,
): Promise<Readonly<Record<string, string>>> {
  const keys = projectKeys(reference);
  const items = await batchGet(table, registryTable, keys, { consistent: true });
  const found = keys.map((key) => items.find(({ id }) => id === key.id)).find((item) => item !== undefined);
  return readParameterValues(found);
}

/**
 * The parameters of a project, ordered by name.
 * @param reference its id or name; default: the project of jobs that name none
 */
export async function listParameters(
  { registry, projects }: Omit<ParameterContext, 'clock'>,
  reference: string = DEFAULT_PROJECT,
): Promise<ParameterView[]> {
  const project = await projects.find(reference);
  if (project === undefined) return [];
  const stored = parametersIn(await readProjectItem(registry, project.id));
  return Object.entries(stored)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, parameter]) => view(project, name, parameter));
}

/**
 * Sets a parameter. An absent description stays, an empty one is removed.
 * @throws InvalidFieldError for what looks like a secret, or beyond the limits of a project
 */
export async function writeParameter(
  { registry, projects, clock }: ParameterContext,
  { project: reference, name }: Reference,
  { value, description }: ParameterWrite,
): Promise<{ parameter: ParameterView; created: boolean }> {
  const fault = secretFault(name, value);
  if (fault !== undefined) throw InvalidFieldError.of('value', `${fault}; ${WHERE_SECRETS_GO}`);
  const project = await projects.resolve(reference);
  let known: Stored | undefined;
  const stored = await changeProjectItem(registry, project.id, 'parameters', (item) => {
    const before = parametersIn(item);
    known = own(before, name);
    const at = timestamp(clock.now());
    const text = description ?? known?.description ?? '';
    const next = { value, ...(text !== '' && { description: text }) };
    const isSame = known !== undefined && known.value === value && (known.description ?? '') === text;
    const changed = isSame && known ? known : { ...next, created_at: known?.created_at ?? at, updated_at: at };
    return withinLimits({ ...before, [name]: changed });
  });
  return { parameter: view(project, name, own(stored, name) as Stored), created: known === undefined };
}

/** Deletes a parameter. @throws ApiError `not_found` */
export async function deleteParameter(
  { registry, projects }: Omit<ParameterContext, 'clock'>,
  { project: reference, name }: Reference,
): Promise<ParameterView> {
  const project = await projects.find(reference);
  if (project === undefined) throw ApiError.of('not_found');
  let known: Stored | undefined;
  await changeProjectItem(registry, project.id, 'parameters', (item) => {
    const before = parametersIn(item);
    // A change whose answer was lost is repeated, and then finds nothing.
    known ??= own(before, name);
    if (known === undefined) throw ApiError.of('not_found');
    return Object.fromEntries(Object.entries(before).filter(([other]) => other !== name));
  });
  return view(project, name, known as unknown as Stored);
}

const WHERE_SECRETS_GO =
  'every reader of the project sees parameters. Store a secret by name and let a profile pass it to its jobs: docs/guide/rules-profiles-secrets.md, "Secrets"';

/** @throws InvalidFieldError */
function withinLimits(parameters: Parameters): Parameters {
  const { perProject, totalBytes } = LIMITS.parameters;
  if (Object.keys(parameters).length > perProject)
    throw InvalidFieldError.of([], `the project has ${perProject} parameters already, the most that are allowed`);
  const texts = Object.entries(parameters).flatMap(([name, { value, description = '' }]) => [name, value, description]);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= totalBytes) return parameters;
  throw InvalidFieldError.of(
    'value',
    `received a text with which the parameters of the project have ${bytes} bytes; ${totalBytes} are allowed`,
  );
}

function parametersIn(item: Record<string, unknown> | undefined): Parameters {
  return item === undefined ? {} : itemSchema.parse(item).parameters;
}

function own(parameters: Parameters, name: string): Stored | undefined {
  return Object.hasOwn(parameters, name) ? parameters[name] : undefined;
}

function view(project: Project, name: string, { value, description, created_at, updated_at }: Stored): ParameterView {
  return {
    ...{ name, value, description: description ?? null, variable: parameterVariable(name) },
    ...{ project_id: project.id, project: project.name, created_at, updated_at },
  };
}
