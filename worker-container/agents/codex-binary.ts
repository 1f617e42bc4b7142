import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The native codex: `given`, or the one of the installed npm package. The package's own `codex` is a Node wrapper whose
 * SIGKILL leaves codex running. Throws a plain Error if there is none that can be executed.
 */
export async function findCodex(given: string | undefined): Promise<string> {
  const path = given ?? installedCodex();
  try {
    await access(path, constants.X_OK);
  } catch (cause) {
    const said = given === undefined ? 'installed with the package @openai/codex' : 'named by PROMPTQ_CODEX_BIN';
    throw new Error(`the codex CLI ${said} can't be executed: ${path}`, { cause });
  }
  return path;
}

/** Folder names inside the platform packages, by Node's words for the platform. */
const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
};

function installedCodex(): string {
  const platform = `${process.platform}-${process.arch}`;
  const target = TARGETS[platform];
  if (target === undefined) throw new Error(`there is no codex CLI for ${platform}`);
  const name = `@openai/codex-${platform}/package.json`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), 'vendor', target, 'bin', 'codex');
  } catch (cause) {
    throw new Error('the codex CLI is not installed: install @openai/codex or set PROMPTQ_CODEX_BIN', { cause });
  }
}
