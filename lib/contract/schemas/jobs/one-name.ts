import { InvalidFieldError } from '../../errors.ts';
import type { DraftEditFields, FollowUpCreation, JobCreation, JobEditFields } from './job-creation.ts';

type OneName<Fields> = Omit<Fields, 'base_prompt' | 'project_id' | 'save_draft'> & {
  readonly base_prompt?: never;
  readonly project_id?: never;
  readonly save_draft?: never;
};

/** The fields of a request that names each by one name. `project`: an id or a name. */
export type NewJob = OneName<JobCreation>;
export type NewFollowUp = OneName<FollowUpCreation>;
export type JobChanges = OneName<JobEditFields>;
export type DraftChanges = OneName<DraftEditFields>;

interface Aliased {
  readonly prompt?: string | undefined;
  readonly base_prompt?: string | undefined;
  readonly project?: string | undefined;
  readonly project_id?: string | undefined;
  readonly draft?: boolean | undefined;
  readonly save_draft?: boolean | undefined;
}

/**
 * The fields of a request without aliases: its `prompt`, `project` and `draft` are what either of their names gives.
 * @throws InvalidFieldError if both names of the prompt or project are given, and differ
 */
export function oneName<Fields extends Aliased>(fields: Fields): OneName<Fields> {
  const { base_prompt, project_id, save_draft, ...rest } = fields;
  const { prompt = base_prompt, project = project_id, draft = save_draft } = rest;
  if (base_prompt !== undefined && base_prompt !== prompt)
    throw InvalidFieldError.of(
      ['prompt', 'base_prompt'],
      'received two different texts; give one of them, or the same text in both',
    );
  if (project_id !== undefined && project_id !== project)
    throw InvalidFieldError.of(
      ['project', 'project_id'],
      `received ${JSON.stringify(project)} and ${JSON.stringify(project_id)}; they must name one project`,
    );
  return {
    ...rest,
    ...(prompt !== undefined && { prompt }),
    ...(project !== undefined && { project }),
    ...(draft !== undefined && { draft: draft || save_draft === true }),
  };
}
