import { createHash } from 'node:crypto';
import type { NewJob } from '../../contract/schemas/jobs/one-name.ts';
import { DEFAULT_PROJECT, projectIdOf } from '../../projects/projects.ts';

/** What a request asked for: a short digest of each field that it set. An edit of the job leaves it as it is. */
export type AskedFields = Readonly<Record<string, string>>;

/** Characters of a digest: 36 bits. It goes into the job's item. */
const DIGEST_LENGTH = 6;

/** A field that is set to its default is as one that is not set. */
export function askedFields(defaultProfile: string, request: NewJob): AskedFields {
  const { idempotency_key: _key, ...rest } = request;
  // A template, or an earlier job, may have these.
  const isNew = request.continue === undefined && request.fork === undefined && request.template === undefined;
  const project = request.project ?? (isNew ? DEFAULT_PROJECT : undefined);
  const asked = {
    ...rest,
    profile: request.profile ?? (isNew ? defaultProfile : undefined),
    project: project && projectIdOf(project),
    tags: request.tags && [...new Set(request.tags)],
    priority: request.priority === 0 ? undefined : request.priority,
    parameters: request.parameters && valuesOf(request.parameters),
    continue_after: request.continue_after === 'success' ? undefined : request.continue_after,
  };
  const given = Object.entries(asked).filter(([, value]) => !isNothing(value));
  return Object.fromEntries(given.map(([name, value]) => [name, digest(value)]));
}

/** The names of the fields in which two requests differ, sorted. */
export function differingFields(one: AskedFields, other: AskedFields): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => one[name] !== other[name]).toSorted();
}

/** In one order, whatever that of the request was. */
function valuesOf(parameters: Readonly<Record<string, unknown>>): readonly unknown[] {
  const given = Object.entries(parameters).filter(([, value]) => value !== null);
  return given.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}
