/**
 * What a template and values make together: the texts of a job. The contract has this rule, so that the service, the
 * console's form and the commands apply the same one.
 *
 * A parameter has the value of the request, else that of the project, else its default. Without any of these it is
 * missing, unless it is optional: then its placeholders become empty, and it is not among the job's values.
 */
import type { FieldProblem } from '../errors.ts';
import { quoted } from '../input/legible.ts';
import { LIMITS } from '../limits.ts';
import {
  neededValue,
  type Parameter,
  type ParameterValues,
  textOfValue,
  valueFault,
  valueOfText,
} from './parameter-values.ts';
import { lengthWithValues, placeholdersIn, withValues } from './placeholders.ts';

/** The members of a template that have placeholders. */
const TEXTS = ['prompt', 'extra_prompt', 'title'] as const;
type TemplateTexts = { readonly [T in (typeof TEXTS)[number]]?: string | undefined };

interface Composable extends TemplateTexts {
  readonly prompt: string;
  readonly parameters?: readonly Parameter[] | undefined;
}

/** The texts that values were put into, and the values. */
interface Composed {
  readonly texts: { readonly prompt: string; readonly extra_prompt?: string; readonly title?: string };
  readonly values: ParameterValues;
  /** Whether the prompts have placeholders, and so hold what others wrote. */
  readonly inPrompt: boolean;
}

/** The names of the parameters that a template has placeholders for, with the texts that have them. */
export function placedParameters(template: TemplateTexts): ReadonlyMap<string, (typeof TEXTS)[number]> {
  return new Map(
    TEXTS.flatMap((text) => [...placeholdersIn(template[text] ?? '')].map((name) => [name, text] as const)),
  );
}

/**
 * The texts of a template with values.
 * @param given the values of a request, of any type
 * @param ofProject the values that its project gives, as text
 * @returns the texts, or every fault of the values, such as an unknown, a missing and a mistyped one
 */
export function composeTemplate(
  template: Composable,
  given: Readonly<Record<string, unknown>>,
  ofProject: Readonly<Record<string, string>> = {},
): Composed | { readonly problems: readonly FieldProblem[] } {
  const { parameters = [] } = template;
  const problems = unknownOnes(parameters, given);
  const values: Record<string, ParameterValues[string]> = {};
  for (const parameter of parameters) {
    const value = chosenValue(parameter, given, ofProject);
    if (value === undefined && parameter.required !== false)
      problems.push(problem(parameter.name, `is missing; expected ${neededValue(parameter)}`));
    if (value === undefined) continue;
    const fault = valueFault(parameter, value);
    if (fault === undefined) values[parameter.name] = value as ParameterValues[string];
    else
      problems.push(problem(parameter.name, isOfProject(parameter, given, ofProject) ? `${fault}; ${PROJECT}` : fault));
  }
  problems.push(...sizeProblems(template, values));
  if (problems.length > 0) return { problems };
  const text = (source: string) => withValues(source, (name) => textOf(values, name));
  const { prompt, extra_prompt, title } = template;
  return {
    texts: {
      prompt: text(prompt),
      ...(extra_prompt !== undefined && { extra_prompt: text(extra_prompt) }),
      ...(title !== undefined && { title: text(title) }),
    },
    values,
    inPrompt: placeholdersIn(prompt).size + placeholdersIn(extra_prompt ?? '').size > 0,
  };
}

const PROJECT = 'the project gives this value';

function unknownOnes(parameters: readonly Parameter[], given: Readonly<Record<string, unknown>>): FieldProblem[] {
  const names = parameters.map(({ name }) => name);
  const allowed = names.length === 0 ? 'the template has no parameters' : `allowed: ${names.join(', ')}`;
  const unknown = Object.keys(given).filter((name) => isGiven(given[name]) && !names.includes(name));
  return unknown.map((name) => ({
    fields: ['parameters'],
    problem: `unknown ${quoted(name.slice(0, 60).toWellFormed())}; ${allowed}`,
  }));
}

/** Null counts as absent. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function chosenValue(
  parameter: Parameter,
  given: Readonly<Record<string, unknown>>,
  ofProject: Readonly<Record<string, string>>,
): unknown {
  const { name } = parameter;
  if (Object.hasOwn(given, name) && isGiven(given[name])) return given[name];
  const text = Object.hasOwn(ofProject, name) ? ofProject[name] : undefined;
  return text === undefined ? parameter.default : valueOfText(parameter, text);
}

function isOfProject(
  { name }: Parameter,
  given: Readonly<Record<string, unknown>>,
  ofProject: Readonly<Record<string, string>>,
): boolean {
  return !(Object.hasOwn(given, name) && isGiven(given[name])) && Object.hasOwn(ofProject, name);
}

/** What would be too large: composed texts are not made before their length is known. */
function sizeProblems(template: Composable, values: ParameterValues): FieldProblem[] {
  const { valuesBytes, composedLength } = LIMITS.templates;
  const bytes = new TextEncoder().encode(JSON.stringify(values)).length;
  if (bytes > valuesBytes)
    return [{ fields: ['parameters'], problem: `received ${bytes} bytes of values; expected at most ${valuesBytes}` }];
  const length = TEXTS.reduce(
    (sum, text) => sum + lengthWithValues(template[text] ?? '', (name) => textOf(values, name)),
    0,
  );
  if (length <= composedLength) return [];
  const received = `received values that make a prompt of ${length} characters`;
  return [{ fields: ['parameters'], problem: `${received}; expected at most ${composedLength}` }];
}

function textOf(values: ParameterValues, name: string): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  return value === undefined ? '' : textOfValue(value);
}

function problem(name: string, what: string): FieldProblem {
  return { fields: [`parameters.${name}`], problem: what };
}
