import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { dataOf } from '../../client/data-of.ts';
import type { JobFields, Promptq } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import type { FolderUse } from '../../platform/config/granted-folders.ts';
import type { Context } from '../base/context.ts';
import { findCredentials } from '../base/credentials.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type Repository, repositoryAt, uncommitted } from '../jobs/apply-changes.ts';

/**
 * Where the job of `promptq run` works if the service is a local run of this user.
 *
 * In a git repository it gets a worktree: a copy of what is committed, which the service takes from the folder.
 * With `--here` it works in the current folder itself. Either way it belongs to a project for that folder, in which one
 * job at a time works in the folder. The user opens the folder to the service by a list (decision 0202):
 * for worktrees by running the command there, since they only read; for `--here` by an answer, once for each folder.
 */
export interface CheckoutOptions {
  readonly here?: true;
  readonly worktree?: true;
  readonly dirty?: true;
  readonly yes?: true;
  readonly apply?: true;
}

/** A job that is still to be created, and the checkout that its changes belong to. */
interface Placed {
  readonly fields: JobFields;
  /** Absent: the job does not work in a worktree of one. */
  readonly checkout?: Repository;
}

/** @throws CommandError if the job can't work where the options say, or the user does not allow it */
export async function placeJob(
  context: Context,
  client: Promptq,
  fields: JobFields,
  options: CheckoutOptions,
): Promise<Placed> {
  const asked = askedFor(options);
  if (asked === undefined && (fields.cwd !== undefined || fields.project !== undefined || isOwnClone(context)))
    return { fields };
  const { url, isLocal } = await findCredentials(context.env);
  if (!isLocal) {
    if (asked === undefined) return { fields };
    throw usageError(
      `${asked} needs a service that you run on this machine, by \`promptq dev\` or \`npm start\`, and ${url} is none`,
    );
  }
  const folder = await realpath(process.cwd());
  const repository = await repositoryAt(folder, context.env).catch((error: unknown) => {
    if (asked === undefined || options.here) return undefined;
    throw error;
  });
  if (options.here) return { fields: await workHere(context, client, fields, { folder, repository, options }) };
  if (repository === undefined) return { fields };
  return await workInWorktree(context, client, fields, { repository, isAsked: asked !== undefined });
}

/** Whether `npm run promptq` has chosen the current folder: the clone of the program, whatever its user works on. */
function isOwnClone({ env }: Context): boolean {
  return env.npm_lifecycle_event === 'promptq';
}

/** The option that needs a local run. */
function askedFor({ here, worktree, apply }: CheckoutOptions): string | undefined {
  if (here) return '--here';
  if (worktree) return '--worktree';
  return apply ? '--apply' : undefined;
}

async function workInWorktree(
  context: Context,
  client: Promptq,
  fields: JobFields,
  { repository, isAsked }: { readonly repository: Repository; readonly isAsked: boolean },
): Promise<Placed> {
  const { terminal } = context;
  const { root, git } = repository;
  const head = await git(['log', '-1', '--no-show-signature', '--format=%h %s']).catch(() => undefined);
  if (head === undefined) {
    const none = `${root} has no commit to start from`;
    if (isAsked) throw usageError(`${none}; commit something first`);
    await terminal.note(`${none}: the job works in a new folder`);
    return { fields };
  }
  await grant(context, 'worktree', root);
  const project = await openProject(client, root, { repository: root });
  await terminal.note(`works in a worktree of ${root}, from ${head.trim()}`);
  const left = await uncommitted(repository);
  if (left.length > 0) await terminal.note(`not included, because not committed: ${listed(left)}`);
  return { fields: { ...fields, project }, checkout: repository };
}

interface Here {
  readonly folder: string;
  /** Around the folder; undefined: none. */
  readonly repository: Repository | undefined;
  readonly options: CheckoutOptions;
}

async function workHere(
  context: Context,
  client: Promptq,
  fields: JobFields,
  { folder, repository, options }: Here,
): Promise<JobFields> {
  const root = repository?.root ?? folder;
  if (!options.dirty) {
    if (repository === undefined)
      throw usageError(`${folder} is in no git repository, so that nothing restores what the job changes; add --dirty`);
    const left = await uncommitted(repository);
    if (left.length > 0)
      throw usageError(
        `the job could change what is not committed: ${listed(left)}; commit it, leave out --here, or add --dirty`,
      );
  }
  if (!(await isGranted(context, root))) await askToGrant(context, root, options);
  const project = fields.project ?? (await openProject(client, root, {}));
  return { ...fields, project, cwd: folder };
}

/** @throws CommandError unless the user opens the folder to jobs */
async function askToGrant(context: Context, root: string, { yes }: CheckoutOptions): Promise<void> {
  const { stdin, terminal, env } = context;
  if (!yes) {
    if (!stdin.isTTY)
      throw usageError(`jobs may not work in ${root} yet: add --yes, or start the service with --allow ${root}`);
    await terminal.note(
      `Jobs of this service may then read, change and delete files in ${root}, without asking again.`,
    );
    if (!(await isConfirmed(context, 'Allow it? [y/N]')))
      throw new CommandError(EXIT.notAllowed, `jobs may not work in ${root}; nothing has started`);
  }
  await grant(context, 'here', root);
  const { grantsFile } = await folderGrants();
  await terminal.note(`jobs may work in ${root}, until you remove it from ${grantsFile(env)}`);
}

async function isConfirmed({ stdin, terminal }: Context, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    await terminal.note(question);
    return await new Promise((resolve) => {
      lines.once('line', (line) => resolve(/^y(es)?$/i.test(line.trim()))).once('close', () => resolve(false));
    });
  } finally {
    lines.close();
    stdin.pause();
  }
}

/** Loaded for a checkout only: its schema takes longer than the rest of the command. */
async function folderGrants() {
  return await import('../../platform/config/granted-folders.ts');
}

async function isGranted({ env }: Context, folder: string, uses: readonly FolderUse[] = ['here']): Promise<boolean> {
  const { grantsFile, readGrants } = await folderGrants();
  const grants = readGrants(grantsFile(env));
  return uses.some((use) => grants[use].some((root) => relative(root, folder).split(sep)[0] !== '..'));
}

async function grant(context: Context, use: FolderUse, folder: string): Promise<void> {
  if (use === 'worktree' && (await isGranted(context, folder, ['here', 'worktree']))) return;
  const { grantFolder, grantsFile } = await folderGrants();
  const file = grantsFile(context.env);
  await grantFolder(file, use, folder).catch((error: Error) => {
    throw new CommandError(EXIT.usage, `can't note in ${file} that jobs may use ${folder}: ${error.message}`);
  });
}

/** Creates the project for a folder, or finds it. @returns its name */
async function openProject(client: Promptq, root: string, settings: { readonly repository?: string }): Promise<string> {
  const readable = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 8);
  const id = `${readable === '' ? 'folder' : readable}-${hash}`;
  const body = { ...settings, exclusive_cwd: true };
  await dataOf(client.api.PATCH('/api/v1/projects/{id}', { params: { path: { id }, query: { create: '1' } }, body }));
  return id;
}

/** Paths that a message names. */
const SHOWN_PATHS = 3;

function listed(paths: readonly string[]): string {
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  return `${paths.slice(0, SHOWN_PATHS).map(harmless).join(', ')}${more}`;
}
