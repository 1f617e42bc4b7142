import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import type { Job } from './job.ts';
import { isJobId } from './job-id.ts';

/** The folders on the workers' disks in which jobs may work. */
export interface Folders {
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
  /** Further roots for absolute folders. */
  readonly roots: readonly string[];
  /** How the user of a local run allows another root; absent: only the operator can. */
  readonly howToAllow?: string;
}

type WorkingFolder = { readonly path: string } | { readonly rejected: string };

/** The members of a job that decide which private folders it may use. */
export type FolderUser = Pick<Job, 'id' | 'folder_of'> & Partial<Pick<Job, 'continues'>>;

export type Placed = Pick<Job, 'id' | 'project_id' | 'cwd'> & Partial<Pick<Job, 'folder_of'>>;

/**
 * The absolute folder for a job's `cwd`; without one, a private folder in the project's workspace. Only the path's text
 * is checked here: the worker checks the links on its disk.
 */
export function workingFolder(folders: Folders, job: Placed & FolderUser): WorkingFolder {
  const folder = resolveFolder(folders, job);
  if ('rejected' in folder) return folder;
  const names = namesBelow(folders.workspaces, folder.path);
  const why = names && whyClosed(names, job);
  return why === undefined ? folder : { rejected: `received ${JSON.stringify(job.cwd)}; ${why}` };
}

/** Name of the private folder of a job without a `cwd`: named after it, or after the job that its thread began with. */
export function ownFolder({ id, folder_of }: { readonly id: string; readonly folder_of?: string | undefined }): string {
  return folder_of ?? id;
}

/**
 * Where a job without a `cwd` works, relative to its project's workspace. It is alone in its job's private folder:
 * `rm -rf ../*` finds nothing of another job.
 */
export function ownWorkFolder(job: Parameters<typeof ownFolder>[0]): string {
  return join(ownFolder(job), 'work');
}

/** The folder for a job's `cwd`, without checking whether it belongs to another job. */
export function resolveFolder(folders: Folders, job: Placed): WorkingFolder {
  const workspace = join(folders.workspaces, job.project_id);
  if (job.cwd === undefined) return { path: join(workspace, ownWorkFolder(job)) };
  const shown = JSON.stringify(job.cwd);
  if (isAbsolute(job.cwd)) {
    const path = normalize(job.cwd);
    const roots = [folders.workspaces, ...folders.roots];
    if (roots.some((root) => namesBelow(root, path) !== undefined)) return { path: stripTrailing(path) };
    const how = folders.howToAllow === undefined ? '' : `; ${folders.howToAllow}`;
    return { rejected: `received ${shown}; an absolute folder must lie under one of ${roots.join(', ')}${how}` };
  }
  const path = resolve(workspace, job.cwd);
  if (namesBelow(workspace, path) !== undefined) return { path };
  return { rejected: `received ${shown}; a relative folder must stay within the workspace of its project` };
}

/**
 * Why a job may not work in a folder below the workspaces; undefined if it may.
 * @param names the path segments from the workspaces to the folder
 */
export function whyClosed(names: readonly string[], user: FolderUser): string | undefined {
  const [project, name] = names;
  if (project?.startsWith('.')) return "the folder is the service's own";
  if (name === undefined)
    return 'no job works in the folder of a whole project; name one below it, such as "work", or leave cwd out';
  if (!isPrivate(names) || mayShare(user, name)) return undefined;
  return 'the folder belongs to one job alone; name another one, such as "work", or leave cwd out';
}

/** Whether a folder below the workspaces is a job's private folder, or within one. */
export function isPrivate([, name = '']: readonly string[]): boolean {
  // Folders that were set aside are named by the job's id and a suffix; some file systems ignore case.
  return isJobId(name.toLowerCase().split('.')[0] ?? '');
}

/**
 * The folders above a job's in which its git finds no repository: a job's private folder, or its project's workspace.
 * @param path where it works; other folders than those below the workspaces are what a client has chosen
 */
export function foldersAbove({ workspaces }: Folders, path: string): string[] {
  const names = namesBelow(workspaces, path);
  return names === undefined ? [] : [join(workspaces, ...names.slice(0, isPrivate(names) ? 2 : 1))];
}

/**
 * The job whose private folder a follow-up inherits from its parent.
 * @param cwd the follow-up's
 */
export function inheritedFolderOf(
  folders: Folders,
  parent: Placed & FolderUser,
  cwd: string | undefined,
): string | undefined {
  const { id, project_id, folder_of } = parent;
  const owner = ownerIn(folders, workingFolder(folders, parent));
  return owner === ownerIn(folders, resolveFolder(folders, { id, project_id, folder_of, cwd })) ? owner : undefined;
}

/** The job that owns the private folder in which a job works; undefined: it works in another folder. */
export function ownerOfFolder(folders: Folders, job: Placed): string | undefined {
  return ownerIn(folders, resolveFolder(folders, job));
}

function ownerIn({ workspaces }: Folders, folder: WorkingFolder): string | undefined {
  const names = 'path' in folder ? namesBelow(workspaces, folder.path) : undefined;
  return names !== undefined && isPrivate(names) ? names[1] : undefined;
}

/** The path segments from one folder to another; undefined if the other is not below it. */
export function namesBelow(folder: string, path: string): string[] | undefined {
  const way = relative(folder, path);
  if (way === '') return [];
  const names = way.split(sep);
  return names[0] === '..' ? undefined : names;
}

function mayShare({ id, folder_of }: FolderUser, owner: string): boolean {
  return owner === id || owner === folder_of;
}

function stripTrailing(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
}
