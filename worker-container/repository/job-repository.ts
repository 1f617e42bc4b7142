import { realpath } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import { ownFolder } from '../../lib/jobs/lifecycle/working-folder.ts';
import { LOCK, type SharedLocks } from '../../lib/platform/shared-lock.ts';
import type { ProjectSettings } from '../../lib/projects/project-settings.ts';
import { addressRules, folderFault, localFolder } from '../../lib/projects/repository-address.ts';
import { CancelledBeforeStartError } from '../commands/not-started-error.ts';
import type { SecretSource } from '../secrets/secrets.ts';
import { rethrowTransient } from '../secrets/transient-error.ts';
import type { GitSurroundings } from './git.ts';
import { credentialEnvironment, credentialsFor } from './git-credentials.ts';
import { findWorktree, openWorktree } from './job-worktree.ts';
import { type CloneRequest, type KeptClone, mendClone, UnknownRefError, updateClone } from './kept-clone.ts';
import { runSetup } from './setup-command.ts';
import { findSnapshot, keepSnapshot, keepStart, type Snapshot } from './snapshots.ts';
import type { JobWorktree } from './worktree-record.ts';
import { makeObserver, worktreeTree } from './worktree-tree.ts';

export interface RepositoryContext {
  readonly locks: SharedLocks;
  /** Default: there are none. */
  readonly secrets?: SecretSource;
}

export interface RepositoryJob {
  readonly job: Pick<Job, 'id' | 'attempt' | 'project_id' | 'cwd' | 'folder_of'>;
  /** Of its project. */
  readonly settings: ProjectSettings;
  /** The worktree that the job's is to be a copy of; absent: none. */
  readonly source?: SourceWorktree;
  /** The job's folder. */
  readonly path: string;
  readonly workspaces: string;
  /** Creates the job's folder, and gives it to the account that the job runs under. */
  readonly lend: () => Promise<unknown>;
  /** The environment of the agent and of the setup command. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Where the setup command's output is stored. */
  readonly setupLog: string;
}

/** The worktree of a job that is forked. */
export interface SourceWorktree {
  readonly job: Pick<Job, 'id' | 'folder_of' | 'attempt'>;
  /** The folder of the forked job. */
  readonly path: string;
  /** Gives that folder to the account that git runs under. */
  readonly lend: () => Promise<unknown>;
  /** Closes it. Its own job may work there once the copy is made. */
  readonly close: () => Promise<void>;
  /** Called when the copy is made. */
  readonly onCopied: () => Promise<void>;
}

/**
 * The job's worktree, set up, if its project has a repository and the job sets no `cwd`.
 * @throws Error with a plain message; CancelledBeforeStartError.
 */
export async function openRepository(
  context: RepositoryContext,
  surroundings: GitSurroundings,
  request: RepositoryJob,
): Promise<JobWorktree | undefined> {
  const { job, settings } = request;
  if (job.cwd !== undefined) return undefined;
  if (settings.repository === undefined) return undefined;
  const clone = await cloneRequest(context, surroundings, request, { ...settings, repository: settings.repository });
  const worktree = await openMended(context, surroundings, request, clone);
  await request.source?.onCopied();
  const warnings = await runSetup(surroundings, request, worktree, settings.setup);
  const uncompared = await keepStart(surroundings, worktree, settings.setup);
  return { ...worktree, warnings: [...worktree.warnings, ...warnings, ...uncompared] };
}

/** Opens the job's worktree. If the kept clone caused a failure and could be mended, tries once more. */
async function openMended(
  { locks }: RepositoryContext,
  surroundings: GitSurroundings,
  { job, path, lend, source }: RepositoryJob,
  request: CloneRequest,
): Promise<JobWorktree> {
  const lock = { id: `clone#${job.project_id}`, holder: `${job.id}/${job.attempt}` };
  const open = async () => {
    const clone = await alone(locks, surroundings, lock, () => updateClone(surroundings, request));
    const from = source && (await snapshotOf(surroundings, clone, source));
    const worktree = await openWorktree(surroundings, { clone, jobId: ownFolder(job), path, lend, from });
    const { address } = clone;
    if (address === request.repository) return worktree;
    return {
      ...worktree,
      warnings: [`repository: it has moved to ${address}: set that address`, ...worktree.warnings],
    };
  };
  try {
    return await open();
  } catch (error) {
    if (error instanceof CancelledBeforeStartError || error instanceof UnknownRefError) throw error;
    const mended = await alone(locks, surroundings, lock, () => mendClone(surroundings, request));
    if (mended === undefined) throw error;
    const worktree = await open();
    return { ...worktree, warnings: [`repository: ${mended}`, ...worktree.warnings] };
  }
}

/** The newest snapshot of a worktree. A worker that was killed or stopped made none: it is made now. */
async function snapshotOf(
  surroundings: GitSurroundings,
  clone: KeptClone,
  { job, path, lend, close }: SourceWorktree,
): Promise<Snapshot> {
  const folder = ownFolder(job);
  const found = await findSnapshot(clone, folder, job);
  if (found !== undefined) return found;
  const worktree = await findWorktree(clone, folder, path);
  if (worktree === undefined)
    throw new Error(`the folder of job ${job.id}, which this one forks, is no worktree of the project's repository`);
  try {
    await lend();
    const observer = await makeObserver(surroundings, worktree, 'source.git');
    const { tree } = await worktreeTree(surroundings, worktree, observer);
    await keepSnapshot(surroundings, worktree, { observer, turn: job, tree });
  } finally {
    await close();
  }
  const kept = await findSnapshot(clone, folder, job);
  if (kept === undefined) throw new Error('no snapshot was made');
  return kept;
}

async function cloneRequest(
  context: Omit<RepositoryContext, 'locks'>,
  surroundings: GitSurroundings,
  { job, workspaces }: RepositoryJob,
  settings: ProjectSettings & { readonly repository: string },
): Promise<CloneRequest> {
  const { repository, ref, secret } = settings;
  const folder = localFolder(repository);
  if (folder !== undefined) {
    await requireGranted(surroundings, folder);
    return { workspaces, projectId: job.project_id, repository, ref, credentials: { GIT_ALLOW_PROTOCOL: 'file' } };
  }
  const value = secret === undefined ? undefined : await readSecret(context, secret);
  if (value !== undefined) surroundings.redaction.add([value]);
  const credentials = secret && value ? credentialsFor(repository, secret, value) : undefined;
  if (credentials !== undefined) surroundings.redaction.add([credentials.password]);
  const environment = await credentialEnvironment(surroundings.attemptDir, credentials);
  return { workspaces, projectId: job.project_id, repository, ref, credentials: environment };
}

/** @throws Error unless the user of this machine lets jobs read the folder, and what its links lead to, by now */
async function requireGranted({ env }: GitSurroundings, folder: string): Promise<void> {
  const { roots } = addressRules(env);
  const real = await realpath(folder).catch(() => folder);
  const realRoots = roots && (await Promise.all(roots.map(async (root) => await realpath(root).catch(() => root))));
  const fault = folderFault(real, realRoots);
  if (fault !== undefined) throw new Error(`repository: ${real}: ${fault}`);
}

async function readSecret({ secrets }: Pick<RepositoryContext, 'secrets'>, name: string): Promise<string> {
  const value = (await rethrowTransient(async () => await secrets?.read([name])))?.get(name);
  if (value === undefined) throw new Error(`the repository needs the secret ${name}, which is not set`);
  return value;
}

/** Milliseconds between polls for a free clone. */
const POLL_INTERVAL_MS = 300;

/** Runs `work` under a lock. */
async function alone<T>(
  locks: SharedLocks,
  { ending }: GitSurroundings,
  { id, holder }: { readonly id: string; readonly holder: string },
  work: () => Promise<T>,
): Promise<T> {
  while (!(await locks.take(id, holder))) {
    if (ending?.reason !== undefined) throw new CancelledBeforeStartError();
    await sleep(POLL_INTERVAL_MS);
  }
  const renewing = setInterval(() => void locks.take(id, holder).catch(() => undefined), LOCK.renewEvery);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    // If this fails, the lock expires.
    await locks.release(id, holder).catch(() => undefined);
  }
}
