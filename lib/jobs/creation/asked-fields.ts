import { createHash } from 'node:crypto';
import type { JobCreation } from '../../contract/schemas/jobs/job-creation.ts';
import { DEFAULT_PROJECT, projectIdOf } from '../../projects/projects.ts';
import { projectOf, promptOf } from './job-settings.ts';

/** What a request asked for: a short digest of each field that it set. An edit of the job leaves it as it is. */
export type AskedFields = Readonly<Record<string, string>>;

/** Characters of a digest: 36 bits. It goes into the job's item. */
const DIGEST_LENGTH = 6;

/** A field that is set to its default is as one that is not set, and both names of a field are one. */
export function askedFields(defaultProfile: string, request: JobCreation): AskedFields {
  const { idempotency_key: _key, base_prompt: _prompt, project_id: _project, save_draft: _draft, ...rest } = request;
  const isNew = request.continue === undefined && request.fork === undefined;
  const project = projectOf(request) ?? (isNew ? DEFAULT_PROJECT : undefined);
  const asked = {
    ...rest,
    prompt: promptOf(request),
    profile: request.profile ?? (isNew ? defaultProfile : undefined),
    project: project && projectIdOf(project),
    tags: request.tags && [...new Set(request.tags)],
    draft: request.save_draft === true || request.draft === true,
    priority: request.priority === 0 ? undefined : request.priority,
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

function isNothing(value: unknown): boolean {
  return value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, DIGEST_LENGTH);
}
