import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, mkdtemp, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Env } from '../base/credentials.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { GIT_FOLDER, gitFolderPaths, refusalOf } from './refused-names.ts';

const execute = promisify(execFile);
/** Bytes: more than the names in the largest diff. */
const MAX_BUFFER = 64 * 1024 * 1024;

/** Calls git in a folder. @throws Error with git's stderr */
type Git = (args: readonly string[], folder?: string) => Promise<string>;

/** The repository that changes are applied to. */
export interface Repository {
  /** Its working tree. */
  readonly root: string;
  /** The folder in its working tree with its hooks, relative to the root; undefined: it is elsewhere. */
  readonly hooks: string | undefined;
  readonly git: Git;
}

/**
 * The repository that a folder is in, and git without what the repository's own configuration makes it run. A bare
 * repository is none: files of a job could be one.
 * @throws CommandError outside a repository
 */
export async function repositoryAt(folder: string, env: Env): Promise<Repository> {
  const settings: [name: string, value: string][] = [
    ['core.fsmonitor', 'false'],
    ['safe.bareRepository', 'explicit'],
  ];
  const git: Git = async (args, at = folder) => {
    const all = { ...env, ...WITHOUT_TRANSPORTS, ...asVariables(settings, env) };
    return (await execute('git', args, { cwd: at, env: all, maxBuffer: MAX_BUFFER })).stdout;
  };
  const path = async (...args: string[]) => (await git(['rev-parse', ...args])).replace(/\n$/, '');
  try {
    // In a subfolder, `git apply` would skip files outside it without a word.
    const root = await path('--show-toplevel');
    // Its configuration can name any folder above this one.
    await lstat(join(root, '.git'));
    const hooks = relative(root, resolve(folder, await path('--git-path', 'hooks')));
    settings.push(['core.hooksPath', '/dev/null'], ...(await ownPrograms(git)));
    return { root, hooks: hooks === '' || hooks.startsWith('..') ? undefined : hooks, git };
  } catch (error) {
    throw usageError(`this folder is not in a git repository: ${faultOf(error)}`);
  }
}

/** Why git failed, in its own words. */
function faultOf(error: unknown): string {
  const { stderr, message } = error as Error & { readonly stderr?: string };
  return (stderr || message).trim();
}

/** A partial clone would fetch what it lacks. */
const WITHOUT_TRANSPORTS = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1', GIT_TERMINAL_PROMPT: '0' };

/** Settings for every call, behind those of the environment. */
function asVariables(settings: readonly (readonly [string, string])[], env: Env): Record<string, string> {
  const before = Number(env.GIT_CONFIG_COUNT) || 0;
  const named = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, name],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ]);
  return Object.fromEntries([...named, ['GIT_CONFIG_COUNT', String(before + settings.length)]]);
}

/** Settings that turn off the filters and merge drivers which the repository itself configures, not its user. */
async function ownPrograms(git: Git): Promise<[string, string][]> {
  const pattern = String.raw`^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver)$`;
  // Exit code 1: there are none.
  const listed = await git(['config', '--show-scope', '--name-only', '-z', '--get-regexp', pattern]).catch((error) => {
    if (error.code !== 1) throw error;
    return '';
  });
  const fields = listed.split('\0');
  return fields.flatMap((name, at): [string, string][] => {
    const isOwn = at % 2 === 1 && /^(?:local|worktree)$/.test(fields[at - 1] ?? '');
    if (!isOwn) return [];
    return [[name, name.endsWith('.driver') || name.endsWith('.required') ? 'false' : '']];
  });
}

/** The paths of files with changes that are not committed, relative to the root. @param paths the only ones to look at */
export async function uncommitted({ root, git }: Repository, paths: readonly string[] = []): Promise<string[]> {
  const literal = paths.map((path) => `:(top,literal)${path}`);
  const status = await git(['status', '--porcelain', '-z', '--no-renames', '--', ...literal], root);
  return status.split('\0').flatMap((entry) => (entry === '' ? [] : [entry.slice(3)]));
}

export interface ApplyOptions {
  /** Refuses to change a file with changes that are not committed. */
  readonly keepsUncommitted?: true;
  readonly check?: true;
  readonly '3way'?: true;
  readonly allowConfig?: true;
}

/**
 * Applies a diff that a job made to a working tree, all of it or nothing. Git itself refuses paths outside the tree and
 * behind links.
 * @throws CommandError if it does not apply, or would leave something that acts on this machine
 */
export async function applyChanges(repository: Repository, diff: string, options: ApplyOptions): Promise<void> {
  const { root, git } = repository;
  const flags = ['apply', '--whitespace=nowarn'];
  try {
    const list = async (...args: string[]) => await git(['apply', '--numstat', '-z', ...args, '--', diff], root);
    const after = namesIn(await list());
    const names = [...new Set([...after, ...namesIn(await list('-R'))])];
    await refuseNames(repository, names, options);
    const dirty = options.keepsUncommitted ? await uncommitted(repository, names) : [];
    if (dirty.length > 0)
      throw new CommandError(
        EXIT.jobFailed,
        `the changes are not applied, because they touch what is not committed here: ${dirty.slice(0, MAX_LISTED).join(', ')}`,
      );
    await refuseLinks(repository, { diff, names, isMerge: options['3way'] === true });
    if (options.check) flags.push('--check');
    if (options['3way']) flags.push('--3way');
    await git([...flags, '--', diff], root);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(EXIT.jobFailed, `the changes do not apply here: ${faultOf(error)}`);
  }
}

/** Parses `--numstat -z`: `12\t3\tpath\0`. */
function namesIn(numstat: string): string[] {
  return numstat.split('\0').flatMap((entry) => /^(?:\d+|-)\t(?:\d+|-)\t(.*)$/s.exec(entry)?.[1] ?? []);
}

async function refuseNames(
  { root, hooks }: Repository,
  names: readonly string[],
  { allowConfig }: ApplyOptions,
): Promise<void> {
  const ofGit = await gitFolderPaths(names, async (path) => (await kindOf(join(root, path))) !== undefined);
  const refused = names.flatMap((name) => {
    const isHook = hooks !== undefined && `${name}/`.toLowerCase().startsWith(`${hooks}/`.toLowerCase());
    const refusal = ofGit.has(name) ? GIT_FOLDER : (refusalOf(name) ?? (isHook ? HOOK : undefined));
    return refusal === undefined ? [] : { name, ...refusal };
  });
  const always = refused.filter(({ isAlways }) => isAlways);
  const shown = always.length > 0 ? always : allowConfig ? [] : refused;
  if (shown.length === 0) return;
  const lines = shown.slice(0, MAX_LISTED).map(({ name, reason }) => `  ${name}: ${reason}`);
  if (shown.length > MAX_LISTED) lines.push(`  and ${shown.length - MAX_LISTED} more`);
  const advice = always.length > 0 ? '' : '\nRead them in the diff; `promptq pull --allow-config` then applies it.';
  throw new CommandError(EXIT.jobFailed, `the changes are not applied, because of:\n${lines.join('\n')}${advice}`);
}

/** Names that an error lists. */
const MAX_LISTED = 20;
const HOOK = { reason: 'git runs it as a hook', isAlways: false };

interface Judged {
  readonly diff: string;
  readonly names: readonly string[];
  readonly isMerge: boolean;
}

/** Refuses submodules, and links that lead out of the tree or to a name of git: other files would be written through them. */
async function refuseLinks({ root, git }: Repository, { diff, names, isMerge }: Judged): Promise<void> {
  const summary = await git(['apply', '--summary', '--', diff], root);
  const here = new Map<string, 'link' | 'folder' | 'file' | undefined>();
  for (const name of names) here.set(name, await kindOf(join(root, name)));
  if (hasMode(summary, '160000') || /^index [0-9a-f]+\.\.[0-9a-f]+ 160000$/m.test(await readFile(diff, 'latin1')))
    throw new CommandError(EXIT.jobFailed, 'the changes are not applied: they change a submodule');
  const isLinked = hasMode(summary, '120000') || names.some((name) => here.get(name) === 'link');
  if (!isLinked) return;
  const scratch = await mkdtemp(join(tmpdir(), 'promptq-links-'));
  try {
    for (const name of names) await copyPlain(join(root, name), join(scratch, name), here.get(name));
    await git(['init', '-q', '--template=', scratch], scratch);
    await git(['apply', '--whitespace=nowarn', '--ignore-whitespace', '--', diff], scratch).catch((error) => {
      if (!isMerge) throw error;
      throw new CommandError(
        EXIT.jobFailed,
        'the changes are not applied: with --3way, links in them must apply as they are',
      );
    });
    for (const name of names) {
      const target = await readlink(join(scratch, name)).catch(() => undefined);
      if (target !== undefined && !staysInTree(name, target))
        throw new CommandError(EXIT.jobFailed, `the changes are not applied: ${name} is a link to ${target}`);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Whether a file of this mode is made, or becomes or was one. */
function hasMode(summary: string, mode: string): boolean {
  return new RegExp(`^ (?:(?:create|delete) mode|mode change(?: [0-7]+ =>)?) ${mode}\\b`, 'm').test(summary);
}

async function kindOf(path: string): Promise<'link' | 'folder' | 'file' | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  if (found.isSymbolicLink()) return 'link';
  return found.isDirectory() ? 'folder' : 'file';
}

/** Copies a file or a link, the file's content only. */
async function copyPlain(from: string, to: string, kind: 'link' | 'folder' | 'file' | undefined): Promise<void> {
  if (kind === undefined) return;
  await mkdir(dirname(to), { recursive: true });
  await (kind === 'link' ? symlink(await readlink(from), to) : copyFile(from, to));
}

/** Whether a link leads to a place in the tree: up first, and then only down, so that no other link on the way matters. */
function staysInTree(name: string, target: string): boolean {
  if (posix.isAbsolute(target) || posix.normalize(target).replace(/\/$/, '') !== target.replace(/\/$/, ''))
    return false;
  const to = posix.join(posix.dirname(name), target);
  return !to.split('/').includes('..') && refusalOf(to)?.isAlways !== true;
}
