import { InvalidFieldError } from '../../contract/errors.ts';
import type { DraftChanges, JobChanges } from '../../contract/schemas/jobs/one-name.ts';
import type { Project, ProjectStore } from '../../projects/projects.ts';
import { invalidState } from '../dispatch/act-on-job.ts';
import { MAX_ROUNDS, type TransitionContext, transition } from '../dispatch/transition.ts';
import type { Job } from '../lifecycle/job.ts';
import type { DraftEdit, JobEdit, JobEvent } from '../lifecycle/job-event.ts';
import { requireUnderstood } from '../lifecycle/understood.ts';
import { JobLabelStore, withLabels } from '../store/job-labels.ts';
import { JobTextStore, type JobTexts } from '../store/job-texts.ts';
import { requireSameAgent } from './continuation.ts';
import { checkFolder, checkTexts, previewOf, requireProfile, type SettingsContext } from './job-settings.ts';
import { readCatalog } from './read-catalog.ts';

type EditContext = TransitionContext & SettingsContext & { readonly texts: JobTextStore };
type DraftEditContext = EditContext & { readonly projects: Pick<ProjectStore, 'resolve'> };

/**
 * Edits a queued job. New texts are written beside the old ones first, so that a worker that claims the job meanwhile
 * reads the texts that belong to its version.
 * @returns the edited job
 * @throws NewerSchemaError if only a later version may change the job; ApiError `invalid_state` unless the job is
 * QUEUED; InvalidFieldError as on creation
 */
export async function editJob(context: EditContext, known: Job, fields: JobChanges, action: string): Promise<Job> {
  return await edit(context, known, action, async (job) => ({
    type: 'edit',
    changes: job.status === 'QUEUED' ? await validateEdit(context, job, fields) : {},
  }));
}

/**
 * Edits a draft, which may also move to another project.
 * @returns the edited job
 * @throws as `editJob`, but ApiError `invalid_state` unless the job is DRAFT
 */
export async function editDraft(
  context: DraftEditContext,
  known: Job,
  fields: DraftChanges,
  action: string,
): Promise<Job> {
  return await edit(context, known, action, async (job) => ({
    type: 'edit_draft',
    changes: job.status === 'DRAFT' ? await validateDraftEdit(context, job, fields) : {},
  }));
}

/** Validates an edit and applies it to exactly that version of the job. Repeats if the job changed meanwhile. */
async function edit(
  context: EditContext,
  known: Job,
  action: string,
  toEvent: (job: Job) => Promise<Extract<JobEvent, { type: 'edit' | 'edit_draft' }>>,
): Promise<Job> {
  let job = known;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    requireUnderstood(job);
    const result = await transition(context, job, await toEvent(job), { rounds: 1 });
    if (result.done) return result.job;
    if (result.job === undefined) break;
    if (result.job.version === job.version) throw invalidState(action, result.job, result.rejected);
    job = result.job;
  }
  throw new Error(`job ${job.id}: it changed in every round of the edit`);
}

async function validateDraftEdit(context: DraftEditContext, job: Job, fields: DraftChanges): Promise<DraftEdit> {
  const reference = fields.project;
  if (reference === undefined || reference === job.project_id || reference === job.project)
    return await validateEdit(context, job, fields);
  return await validateEdit(context, job, fields, () => context.projects.resolve(reference));
}

/**
 * @param findProject resolves the job's new project, creating it if needed. Called last, after all other validation.
 */
async function validateEdit(
  context: EditContext,
  job: Job,
  fields: JobChanges,
  findProject?: () => Promise<Project>,
): Promise<DraftEdit> {
  const given = edited(await context.texts.get(job), fields);
  const name = fields.profile ?? job.profile;
  const referred = await readCatalog(context.registry, { profile: name, ruleIds: given.rule_ids ?? [] });
  const profile = requireProfile(context.agents, name, referred.profile);
  // The first turn of a thread too: later ones may wait for it already.
  if (job.thread_id !== undefined || job.forked_from !== undefined) requireSameAgent(job, profile);
  checkTexts(referred, given, profile);
  // A relative folder resolves differently in another project.
  const isMoved = findProject !== undefined || (fields.cwd !== undefined && fields.cwd !== job.cwd);
  if (isMoved && job.forked_from !== undefined)
    throw InvalidFieldError.of(['cwd', 'project'], "can't be changed: a fork works in its copy of a folder");
  if (isMoved) checkFolder(context, fields.cwd ?? job.cwd);
  const project = await findProject?.();
  const texts = project === undefined ? given : { ...given, project: project.name };
  const address = JobTextStore.address(texts);
  if (address !== job.texts) await context.texts.put({ ...job, texts: address }, texts);
  const labels = await labelsAfter(context, job, fields);
  const { model, priority, timeout, retries, cwd } = fields;
  return {
    ...definedOnly({ model, priority, timeout, retries, cwd }),
    ...(isMoved && { folder_of: undefined }),
    ...(project !== undefined && { project_id: project.id, project: project.name }),
    ...labels,
    profile: profile.name,
    agent: profile.agent,
    texts: address,
    prompt_preview: previewOf(texts.prompt),
  };
}

/** Writes the job's title and tags if they change. @returns their address if they changed */
async function labelsAfter(
  { texts: { labels } }: EditContext,
  job: Job,
  { title, tags }: JobChanges,
): Promise<Pick<JobEdit, 'labels'>> {
  if (title === undefined && tags === undefined) return {};
  const next = withLabels(await labels.of(job), { title, tags });
  const address = JobLabelStore.address(next);
  if (address === job.labels) return {};
  if (address !== undefined) await labels.put({ ...job, labels: address }, next);
  return { labels: address };
}

function edited(texts: JobTexts, fields: JobChanges): JobTexts {
  const { prompt, extra_prompt, rule_ids, cwd } = fields;
  return { ...texts, ...definedOnly({ prompt, extra_prompt, rule_ids, cwd }) };
}

function definedOnly<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
