import { dataOf } from '../client/data-of.ts';
import type { Promptq, Schemas } from '../client/promptq.ts';
import { type Answer, fits, largest } from './answers.ts';
import { textPart } from './job-files.ts';
import { lengthFor } from './job-output.ts';

/*
 * The diagrams of a project. They are Mermaid text, which agents read as well as a picture.
 */

interface OfProject {
  readonly project?: string;
}

interface Named extends OfProject {
  readonly name: string;
}

/** The names of a project's diagrams, as many as fit. */
export async function listDiagrams(
  client: Promptq,
  { offset = 0, ...query }: OfProject & { readonly offset?: number },
): Promise<Answer> {
  const { items } = await dataOf(client.api.GET('/api/v1/diagrams', { params: { query } }));
  const first = (count: number): Answer => {
    const end = offset + count;
    return {
      message: `${items.length} diagrams. read_diagram returns one.`,
      fields: { items: items.slice(offset, end), next_offset: end < items.length ? end : null },
    };
  };
  return first(
    Math.max(
      1,
      largest(items.length, (count) => fits(first(count), lengthFor(undefined))),
    ),
  );
}

/** A part of a diagram's text. */
export async function readDiagram(
  client: Promptq,
  { name, project, ...part }: Named & { readonly offset?: number; readonly limit?: number },
): Promise<Answer> {
  const query = project === undefined ? {} : { project };
  const { text } = await dataOf(client.api.GET('/api/v1/diagrams/{name}', { params: { path: { name }, query } }));
  return textPart(text, part);
}

export async function keepDiagram(
  client: Promptq,
  { name, project, ...body }: Named & Schemas['DiagramWrite'],
): Promise<Answer> {
  const query = project === undefined ? {} : { project };
  const params = { path: { name }, query };
  const { text: _, ...fields } = await dataOf(client.api.PUT('/api/v1/diagrams/{name}', { params, body }));
  return { message: 'Kept. Jobs of the project that start from now on find it among their files.', fields };
}
