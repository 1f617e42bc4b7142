import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findClaude } from '../../../worker-container/agents/vendor-binary.ts';

/** How long a test that needs the CLI may wait for it, in milliseconds. */
export const INSTALL_LIMIT = 600_000;

/**
 * The real claude CLI: the one that `PROMPTQ_CLAUDE_BIN` names, or that is installed, or else the version that
 * package.json names, from the registry, once for this machine. It has 356 MB, too much for every `npm ci`.
 * @throws Error with what to do, if there is none and none can be had
 */
export async function claudeCli(): Promise<string> {
  const given = process.env.PROMPTQ_CLAUDE_BIN;
  if (given !== undefined && given !== '') return await findClaude(given);
  return await findClaude(undefined).catch(installedOnce);
}

async function installedOnce(): Promise<string> {
  const version = await pinnedVersion();
  const packageName = `@anthropic-ai/claude-code-${process.platform}-${process.arch}`;
  // Not another user's, who may not let this one in.
  const kept = join(tmpdir(), `promptq-claude-code-${version}-${process.getuid?.() ?? 0}`);
  const path = join(kept, 'node_modules', packageName, 'claude');
  if (await isThere(path)) return path;
  const fresh = await mkdtemp(`${kept}-`);
  try {
    await promisify(execFile)('npm', [
      ...['install', '--prefix', fresh, '--ignore-scripts', '--no-audit', '--no-fund'],
      `${packageName}@${version}`,
    ]);
    // Another test file may have been faster; then its folder stays.
    await rename(fresh, kept).catch(() => {});
    await access(path, constants.X_OK);
    return path;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `these tests need the claude CLI ${version}, and ${packageName} could not be installed: set PROMPTQ_CLAUDE_BIN\n${why}`,
      { cause },
    );
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function pinnedVersion(): Promise<string> {
  const file = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { config: { claudeCode: string } }).config.claudeCode;
}

async function isThere(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
