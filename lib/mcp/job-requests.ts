import { dataOf } from '../client/data-of.ts';
import type { Promptq, Schemas } from '../client/promptq.ts';
import { type Answer, fits, largest, startOf } from './answers.ts';
import { lengthFor, readFewer } from './job-output.ts';
import { LIST_LENGTH, MESSAGE_LENGTH } from './tool-table.ts';

/*
 * What jobs are asked to do: the templates that an agent can run, with what it needs to fill them in, and the request of
 * a job. A template can be longer than a short answer:
 * then its texts are cut, and after them its list of parameters, unless the caller gives a limit.
 */

interface TemplatesQuery {
  readonly name?: string;
  readonly cursor?: string;
  /** Templates. */
  readonly limit?: number;
}

type Page = Pick<Schemas['TemplateList'], 'items' | 'next_cursor'>;

/** A page of templates, or one with its prompt. */
export async function listTemplates(client: Promptq, { name, cursor, limit }: TemplatesQuery): Promise<Answer> {
  const most = lengthFor(limit);
  if (name !== undefined) {
    const template = await dataOf(client.api.GET('/api/v1/templates/{name}', { params: { path: { name } } }));
    return cutTo(most, { items: [template], next_cursor: null }, (one, cut) => ({
      ...listed(one, cut),
      prompt: start(one.prompt, cut),
    }));
  }
  const page = { limit: limit ?? LIST_LENGTH.default, ...(cursor !== undefined && { cursor }) };
  return await readFewer(page, { minimum: 1, most }, async (query) => {
    const list = await dataOf(client.api.GET('/api/v1/templates', { params: { query } }));
    return query.limit === 1 ? cutTo(most, list, listed) : answerWith(list, listed, WHOLE);
  });
}

interface Cut {
  /** Characters of a text, and of all values of an enum together. */
  readonly length: number;
  readonly parameters: number;
}
const WHOLE: Cut = { length: Number.POSITIVE_INFINITY, parameters: Number.POSITIVE_INFINITY };

type Shown = (template: Schemas['Template'], cut: Cut) => object;

function answerWith({ items, next_cursor }: Page, show: Shown, cut: Cut): Answer {
  const rest = cut === WHOLE ? '' : ' Texts are cut: give a limit for all of them.';
  return {
    message: `Call run_template with a value for each required parameter.${rest}`,
    fields: { items: items.map((item) => show(item, cut)), next_cursor },
  };
}

/** As much of a page as fits. */
function cutTo(most: number, page: Page, show: Shown): Answer {
  const whole = answerWith(page, show, WHOLE);
  if (fits(whole, most)) return whole;
  const answer = (length: number, parameters: number) => answerWith(page, show, { length, parameters });
  const all = Math.max(0, ...page.items.map(({ parameters }) => parameters.length));
  const parameters = largest(all, (count) => fits(answer(0, count), most));
  const length = largest(most, (count) => fits(answer(count, parameters), most));
  return answer(length, parameters);
}

function listed({ name, version, description, parameters }: Schemas['Template'], cut: Cut): object {
  const shown = parameters.slice(0, cut.parameters).map((parameter) => parameterOf(parameter, cut));
  return {
    ...{ name, version, ...(description !== null && { description: start(description, cut) }), parameters: shown },
    ...(shown.length < parameters.length && { parameters_total: parameters.length }),
  };
}

/** What an agent needs for a value, without what the template does not say. */
function parameterOf(parameter: Schemas['TemplateParameterView'], cut: Cut): object {
  const { name, type, required, default: fallback, example, pattern, values, description } = parameter;
  const texts = { default: fallback, example, pattern, description };
  const said = Object.entries(texts).flatMap(([key, value]) => (value == null ? [] : [[key, start(value, cut)]]));
  return { name, type, required, ...Object.fromEntries(said), ...(values !== null && { values: fewer(values, cut) }) };
}

function start<T extends string | number | boolean>(value: T, { length }: Cut): T | string {
  return typeof value === 'string' ? startOf(value, length) : value;
}

/** The first values, with `…` for the others. */
function fewer(values: readonly string[], { length }: Cut): readonly string[] {
  const lengthOf = (count: number) => values.slice(0, count).join('').length;
  const count = largest(values.length, (some) => lengthOf(some) <= length);
  return count === values.length ? values : [...values.slice(0, count), '…'];
}

interface JobQuery {
  readonly id: string;
  /** Characters of each text. */
  readonly limit?: number;
}

/** What a job was asked to do. */
export async function readJob(client: Promptq, { id, limit }: JobQuery): Promise<Answer> {
  const job = await dataOf(client.api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }));
  const { status, title, project, profile, agent, model, tags, rule_ids, created_by, created_at, template } = job;
  const { prompt, extra_prompt } = job;
  const texts = [prompt, extra_prompt ?? '', ...Object.values(template?.parameters ?? {}).map(String)];
  const longest = Math.max(...texts.map((text) => text.length));
  const answer = (length: number): Answer => {
    const start = <T>(value: T): T | string => (typeof value === 'string' ? startOf(value, length) : value);
    const values = Object.entries(template?.parameters ?? {}).map(([name, value]) => [name, start(value)]);
    return {
      message: length < longest ? 'Long texts are cut: give a limit for more of them.' : 'This is the whole request.',
      fields: {
        ...{ id, status, title, project, profile, agent, model, tags, rule_ids, created_by, created_at },
        ...{ prompt: start(prompt), extra_prompt: start(extra_prompt) },
        template: template && { ...template, parameters: Object.fromEntries(values) },
      },
    };
  };
  const most = Math.min(longest, limit ?? MESSAGE_LENGTH.maximum);
  return answer(largest(most, (length) => fits(answer(length), lengthFor(limit))));
}
