import { dataOf } from '../client/data-of.ts';
import { RequestError } from '../client/errors.ts';
import type { Promptq } from '../client/promptq.ts';
import { type Answer, fits, largest } from './answers.ts';
import { lengthFor, readFewer } from './job-output.ts';
import { READ_LENGTH } from './tool-table.ts';

/*
 * What a job has left in its folder, in answers that fit into an agent's context. A file or a diff is read in parts of
 * characters; `next_offset` says where the next part begins.
 */

interface Part {
  readonly id: string;
  readonly attempt?: number;
  readonly offset?: number;
  readonly limit?: number;
}

/** The files of a job's folder, as many as fit. */
export async function listFiles(client: Promptq, { id, attempt, offset = 0 }: Part): Promise<Answer> {
  const query = attempt === undefined ? {} : { attempt };
  const list = await dataOf(client.api.GET('/api/v1/jobs/{id}/files', { params: { path: { id }, query } }));
  const shown = list.items.map(({ path, bytes, reason, masked }) => ({
    ...{ path, bytes },
    ...(reason !== null && { not_kept: reason }),
    ...(masked && { masked }),
  }));
  const { selection, not_listed } = list;
  const first = (count: number): Answer => {
    const end = offset + count;
    return {
      message: list.note ?? `${shown.length} files. read_file returns one.`,
      fields: {
        ...{ attempt: list.attempt, selection, items: shown.slice(offset, end), not_listed },
        next_offset: end < shown.length ? end : null,
      },
    };
  };
  const most = largest(shown.length, (count) => fits(first(count), lengthFor(undefined)));
  // One at least, so that the next call gets further.
  return first(Math.max(1, most));
}

/** A part of a file of a job's folder. */
export async function readFile(client: Promptq, { path, ...part }: Part & { readonly path: string }): Promise<Answer> {
  const { id, attempt } = part;
  const query = { path, ...(attempt !== undefined && { attempt }) };
  try {
    const params = { path: { id }, query };
    const content = await dataOf(client.api.GET('/api/v1/jobs/{id}/files/content', { params, parseAs: 'arrayBuffer' }));
    return contentPart(content, part, `${path} is no text. A person can download it.`);
  } catch (error) {
    const reason = error instanceof RequestError && error.body.error === 'not_found' ? error.body.details : undefined;
    if (reason === undefined) throw error;
    const why = 'reason' in reason ? `is not kept: ${String(reason.reason)}` : 'is no file of the job';
    return { message: `${path} ${why}. list_files names the files.`, isError: true };
  }
}

/** The name of the attachment with the diff, as in a path. */
const DIFF = '.promptq%2Fchanges.diff';

/** A part of the changes that a job made in its repository. */
export async function readDiff(client: Promptq, { id, ...part }: Part): Promise<Answer> {
  const query = part.attempt === undefined ? {} : { attempt: part.attempt };
  try {
    const params = { path: { id, name: DIFF }, query };
    const content = await dataOf(
      client.api.GET('/api/v1/jobs/{id}/attachments/{name}', { params, parseAs: 'arrayBuffer' }),
    );
    return contentPart(content, part, 'The diff is no text.');
  } catch (error) {
    if (!(error instanceof RequestError) || error.body.error !== 'not_found') throw error;
    return { message: 'The job has no diff: it changed nothing, or its project has no repository. Try list_files.' };
  }
}

function contentPart(content: ArrayBuffer, part: Pick<Part, 'offset' | 'limit'>, otherwise: string): Answer {
  const text = textOf(content);
  if (text === undefined) return { message: otherwise, fields: { bytes: content.byteLength }, isError: true };
  return textPart(text, part);
}

/** A part of a text, as long as fits. */
export function textPart(text: string, { offset = 0, limit }: Pick<Part, 'offset' | 'limit'>): Answer {
  const part = (count: number): Answer => {
    const end = offset + count;
    const isLast = end >= text.length;
    const message = isLast ? 'This is the end.' : 'To read on, give next_offset as offset.';
    const fields = { text: text.slice(offset, end), length: text.length, next_offset: isLast ? null : end };
    return { message, fields };
  };
  const most = Math.min(limit ?? READ_LENGTH.default, Math.max(0, text.length - offset));
  return part(largest(most, (count) => fits(part(count), lengthFor(limit))));
}

/** Undefined: it is no UTF-8, or has a NUL as only files for programs have. */
function textOf(content: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The profiles that a job can have. */
export async function listProfiles(client: Promptq, { cursor }: { readonly cursor?: string }): Promise<Answer> {
  const page = { limit: PROFILES, ...(cursor !== undefined && { cursor }) };
  return await readFewer(page, { minimum: 1, most: lengthFor(undefined) }, async (query) => {
    const { items, next_cursor } = await dataOf(client.api.GET('/api/v1/profiles', { params: { query } }));
    const shown = items.map(({ name, agent, model, sandbox, is_default }) => {
      return { name, agent, model, sandbox, is_default };
    });
    return {
      message: 'Name one as profile of create_job or run_job. With the agent shell, the prompt is a shell script.',
      fields: { items: shown, next_cursor },
    };
  });
}

/** Profiles of a page, unless they are too long for an answer. */
const PROFILES = 50;
