import { isAbsolute, join, normalize, resolve, sep } from 'node:path';

/** Where on the workers' disks jobs may work. */
export interface Folders {
  /** Root of the projects' workspaces. */
  readonly workspaces: string;
  /** Further roots for absolute folders. */
  readonly roots: readonly string[];
}

export type WorkingFolder = { readonly path: string } | { readonly refused: string };

/**
 * The absolute folder that a job's `cwd` means; without one, a fresh folder of the job's own in the project's
 * workspace. Judged by its text: what the worker then finds there is the worker's matter.
 */
export function workingFolder(
  folders: Folders,
  job: { id: string; project_id: string; cwd?: string | undefined },
): WorkingFolder {
  const workspace = join(folders.workspaces, job.project_id);
  if (job.cwd === undefined) return { path: join(workspace, job.id) };
  const shown = JSON.stringify(job.cwd);
  if (isAbsolute(job.cwd)) {
    const path = normalize(job.cwd);
    const roots = [folders.workspaces, ...folders.roots];
    if (roots.some((root) => isWithin(path, root))) return { path: stripTrailing(path) };
    return { refused: `received ${shown}; an absolute folder must lie under one of ${roots.join(', ')}` };
  }
  const path = resolve(workspace, job.cwd);
  if (isWithin(path, workspace)) return { path };
  return { refused: `received ${shown}; a relative folder must stay within the workspace of its project` };
}

function isWithin(path: string, root: string): boolean {
  const base = stripTrailing(normalize(root));
  return stripTrailing(path) === base || path.startsWith(base.endsWith(sep) ? base : `${base}${sep}`);
}

function stripTrailing(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path;
}
