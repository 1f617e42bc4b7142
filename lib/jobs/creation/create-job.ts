import { Logger } from '@aws-lambda-powertools/logger';
import { type FromTemplate, fromTemplate } from '../../catalog/from-template.ts';
import type { Profile } from '../../catalog/profiles.ts';
import { ApiError, InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import type { NewJob } from '../../contract/schemas/jobs/one-name.ts';
import { timestamp } from '../../platform/aws/table-clock.ts';
import { parameterValues } from '../../projects/parameters.ts';
import { DEFAULT_PROJECT, type Project, type ProjectStore } from '../../projects/projects.ts';
import { automationOf, CAUSES, type Cause, jobIdOf } from '../lifecycle/cause.ts';
import type { Job } from '../lifecycle/job.ts';
import { isJobId, randomJobId } from '../lifecycle/job-id.ts';
import { JOB_SCHEMA } from '../lifecycle/newer-schema.ts';
import { isHidden } from '../lifecycle/system-job.ts';
import { inItsTurn } from '../lifecycle/thread.ts';
import { JobLabelStore } from '../store/job-labels.ts';
import { type Applied, newChangeId } from '../store/job-store.ts';
import { JobTextStore, type JobTexts } from '../store/job-texts.ts';
import { continueThread } from '../threads/settle-thread.ts';
import { ancestorsBelow, rootOf, type TreeStore } from '../trees/tree-store.ts';
import { type AskedFields, askedFields, differingFields } from './asked-fields.ts';
import { beginThread, continuationOf, type EarlierContext, projectBefore, requireSameAgent } from './continuation.ts';
import { forkOf } from './forking.ts';
import { checkFolder, checkTexts, previewOf, requireProfile, type SettingsContext } from './job-settings.ts';
import { requireNamedGrants } from './named-grants.ts';
import { readCatalog } from './read-catalog.ts';

const log = new Logger({ serviceName: 'promptq-creation' });

/** Dependencies for creating a job. */
export interface CreationContext extends SettingsContext, EarlierContext {
  readonly projects: Pick<ProjectStore, 'create'>;
  readonly trees: TreeStore;
  readonly defaultProfile: string;
  /** Default: `randomJobId`. */
  readonly newJobId?: () => string;
}

/** What brings a job about, and whose rights it has. */
interface Origin {
  /** Default: the client's request, with its idempotency key. */
  readonly cause?: Exclude<Cause, { kind: 'client' }>;
  /** The job that the cause is about. A descendant needs it. */
  readonly of?: Pick<Job, 'id' | 'priority' | 'ancestors' | 'round' | 'token_id'>;
  /** Default: the token of that job. */
  readonly tokenId?: string | undefined;
  /** Whose idempotency keys count; default: those of `createdBy`. */
  readonly keyOwner?: string;
  /** A quotation of data from outside, which is added below the prompt, and which no agent runs as a script. */
  readonly data?: string;
  /** The job whose private folder it inherits. */
  readonly folderOf?: string | undefined;
}

/** The outcome of a creation. */
export interface CreatedJob {
  readonly id: string;
  readonly replayed: boolean;
  readonly differs: string[];
}

/**
 * Creates a job. Writes its texts, then the job itself, so that an interruption leaves nothing incomplete. The dispatch
 * message follows, so that no worker receives it before the job is stored.
 * @returns the id; `replayed` if its cause was known and the id is that of the existing job, whose
 * request differed in the fields `differs`
 * @throws InvalidFieldError naming the field, the received value and the allowed values; ApiError `unavailable` while the
 * job of the idempotency key is being removed, `invalid_request` if the tree of a descendant takes no further job
 */
export async function createJob(
  context: CreationContext,
  request: NewJob,
  createdBy: string,
  origin: Origin = {},
): Promise<CreatedJob> {
  const { idempotency_key: key } = request;
  const cause = origin.cause ?? ({ kind: 'client', ...(key !== undefined && { key }) } as const);
  const { isCompared, isDescendant } = CAUSES[cause.kind];
  const isUnnamed = cause.kind === 'client' && key === undefined;
  const derived = isUnnamed ? undefined : jobIdOf(cause, origin.keyOwner ?? createdBy);
  const asked = isCompared && derived !== undefined ? askedFields(context.defaultProfile, request) : undefined;
  // What a first request referred to may be gone. The read may miss a recent write: the conditional put decides.
  const known = derived && (await find(context, derived, { consistent: request.fork !== undefined }));
  if (derived !== undefined && known) {
    requireKept(known, cause);
    return { id: derived, replayed: true, differs: differences(known, asked) };
  }
  const { request: whole, from } = await fromTemplate(context.registry, request, async (named) =>
    parameterValues(context.registry, named ?? (await projectBefore(context, request))),
  );
  const { creation: forked, source } = await forkOf(context, whole);
  const { creation, continuation } = await continuationOf(context, forked);
  const given = textsOf(creation, from, origin.data);
  const references = {
    profile: creation.profile ?? context.defaultProfile,
    ruleIds: creation.rule_ids ?? [],
    project: creation.project ?? DEFAULT_PROJECT,
  };
  const earlier = continuation?.job ?? source;
  const referred = await readCatalog(context.registry, references);
  const profile = requireProfile(context.agents, references.profile, referred.profile);
  requireSameAgent(earlier, profile);
  const action = source === undefined ? 'continue' : 'fork';
  await requireNamedGrants(context, earlier, { profile, named: request.profile !== undefined, action });
  checkTexts(referred, given, profile);
  const folderOf = origin.folderOf ?? continuation?.folderOf;
  checkFolder(context, creation.cwd, folderOf);
  await checkOrigin(context, creation.copied_from);
  const project = referred.project ?? (await context.projects.create(references.project));
  const texts: JobTexts = { ...given, project: project.name };
  const { newJobId = randomJobId } = context;
  const id = derived ?? newJobId();
  const at = timestamp(context.clock.now());
  const threadId = continuation && (await beginThread(context, continuation.job, 'continue'));
  if (source !== undefined) await beginThread(context, source, 'fork');
  const job = newJob({
    id,
    creation,
    texts,
    profile,
    project,
    createdBy,
    at,
    cause,
    tokenId: origin.tokenId ?? origin.of?.token_id,
    parent: isDescendant ? origin.of : undefined,
    threadId,
    folderOf,
    source,
    asked,
  });
  if (job.labels !== undefined) await context.texts.labels.put(job, creation);
  await context.texts.put(job, texts);
  const created = await store(context, job);
  if (!created.applied) requireKept(created.current, cause);
  const differs = created.applied ? [] : differences(created.current, asked);
  if (job.status === 'QUEUED') {
    if (created.applied && (threadId !== undefined || source !== undefined)) await enqueue(context, job);
    // Also if it was there: a write of this call may have stored it, and another job's message may have started it since.
    if (threadId === undefined) await dispatch(context, job);
  }
  return { id, replayed: !created.applied, differs };
}

/** What only a later version can read is not compared. */
function differences(known: Job | 'newer' | undefined, asked: AskedFields | undefined): string[] {
  if (known === undefined || known === 'newer' || known.asked === undefined || asked === undefined) return [];
  return differingFields(known.asked, asked);
}

async function find({ jobs }: CreationContext, id: string, { consistent }: { consistent: boolean }) {
  return await (consistent ? jobs.find(id) : jobs.get(id, { consistent }));
}

const REMOVAL_RETRY_SECONDS = 5;

/**
 * Reads of a job that is being removed answer 404, so its id is no answer to a client; its key is free once it is gone.
 * @throws ApiError `unavailable`
 */
function requireKept(known: Job | 'newer' | undefined, { kind }: Cause): void {
  if (CAUSES[kind].isOnce || known === undefined || known === 'newer') return;
  if (known.removing === true) throw ApiError.of('unavailable', undefined, REMOVAL_RETRY_SECONDS);
}

/**
 * Stores a new job. A descendant is stored together with its place in its tree, so that no tree grows beyond its limit, or
 * after it was cancelled.
 * @throws ApiError `invalid_request` if its tree takes no further job
 */
async function store(context: CreationContext, job: Job): Promise<Applied> {
  if (job.ancestors === undefined) return await context.jobs.create(job);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const tree = await context.trees.read(rootOf(job));
    const refusal = context.trees.refusalOf(tree, job);
    if (refusal !== undefined) {
      // An answer that was lost, or another process, may have stored it.
      const current = await context.jobs.get(job.id, { consistent: true });
      if (current !== undefined) return { applied: false, current };
      throw ApiError.because('invalid_request', refusal);
    }
    const stored = await context.jobs.createWith(job, context.trees.adding(tree, job));
    if (stored !== undefined) return stored;
  }
  throw new Error(`job ${job.id}: its tree changed in every round`);
}

/** How often storing a descendant is tried while its tree changes. */
const MAX_TRIES = 50;

/** The job is stored, so a failure does not fail its creation: reconcile-jobs sends the message. */
async function dispatch({ dispatchQueues }: CreationContext, job: Job): Promise<void> {
  await dispatchQueues.send(job).catch((error: Error) => {
    log.warn('no dispatch message was sent; reconcile-jobs sends it', { job_id: job.id, error });
  });
}

/**
 * The job is stored, so a failure does not fail its creation: reconcile-jobs gives it its turn. The worker of a fork
 * holds the thread that it forks.
 */
async function enqueue(context: CreationContext, job: Job): Promise<void> {
  await continueThread(context, job).catch((error: Error) => {
    log.warn('the thread does not know of the job yet; it learns of it later', { job_id: job.id, error });
  });
}

function textsOf(
  creation: NewJob,
  from: FromTemplate | undefined,
  data: string | undefined,
): Omit<JobTexts, 'project'> {
  const { prompt, extra_prompt, rule_ids, cwd } = creation;
  if (prompt === undefined)
    throw InvalidFieldError.of(
      'prompt',
      'is missing; expected a non-empty string in prompt or base_prompt, or a template',
    );
  return {
    prompt: data === undefined ? prompt : `${prompt}\n\n${data}`,
    ...(data !== undefined && { has_data: true }),
    ...(cwd !== undefined && { cwd }),
    ...(extra_prompt !== undefined && { extra_prompt }),
    ...(rule_ids !== undefined && { rule_ids }),
    ...(from !== undefined && { from }),
  };
}

/** @throws InvalidFieldError if the job does not exist */
async function checkOrigin({ jobs }: CreationContext, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const job = isJobId(id) ? await jobs.find(id) : undefined;
  // A job that only a newer version can read exists all the same.
  if (job === undefined || (job !== 'newer' && (job.removing === true || isHidden(job))))
    throw InvalidFieldError.of('copied_from', `received ${quoted(id)}; there is no job of this id`);
}

function newJob(from: {
  id: string;
  creation: NewJob;
  texts: JobTexts;
  profile: Profile;
  project: Project;
  createdBy: string;
  at: string;
  cause: Cause;
  tokenId: string | undefined;
  parent: Origin['of'];
  threadId: string | undefined;
  folderOf: string | undefined;
  source: Job | undefined;
  asked: AskedFields | undefined;
}): Job {
  const { creation, at, cause, tokenId, parent, threadId, folderOf, source, asked } = from;
  const draft = creation.draft === true;
  const timeout = creation.timeout ?? from.profile.timeout;
  const labels = JobLabelStore.address(creation);
  const { from: made } = from.texts;
  const automation = automationOf(cause);
  return inItsTurn({
    id: from.id,
    schema: JOB_SCHEMA,
    status: draft ? 'DRAFT' : 'QUEUED',
    reason: draft ? 'draft' : 'waiting_for_worker',
    project_id: from.project.id,
    project: from.project.name,
    profile: from.profile.name,
    agent: from.profile.agent,
    ...(creation.model !== undefined && { model: creation.model }),
    priority: creation.priority ?? Math.min(0, parent?.priority ?? 0),
    ...(timeout !== undefined && { timeout }),
    retries: creation.retries ?? from.profile.retries ?? 0,
    ...(creation.cwd !== undefined && { cwd: creation.cwd }),
    prompt_preview: previewOf(from.texts.prompt),
    texts: JobTextStore.address(from.texts),
    ...(made !== undefined && { template: { name: made.name, version: made.version } }),
    ...(automation !== undefined && { automation }),
    cause,
    ...(asked !== undefined && { asked }),
    created_by: from.createdBy,
    ...(tokenId !== undefined && { token_id: tokenId }),
    ...(parent !== undefined && { ancestors: ancestorsBelow(parent) }),
    ...(creation.copied_from !== undefined && { copied_from: creation.copied_from }),
    ...(labels !== undefined && { labels }),
    ...(folderOf !== undefined && { folder_of: folderOf }),
    ...(threadId !== undefined && { thread_id: threadId, continues: creation.continue }),
    ...(source !== undefined && { forked_from: source.id, forked_attempt: source.attempt }),
    ...(creation.continue_after === 'any' && { after_any: true }),
    created_at: at,
    updated_at: at,
    ...(!draft && { queued_at: at }),
    attempt: 0,
    version: 1,
    change_id: newChangeId(),
  });
}
