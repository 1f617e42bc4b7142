import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/promptq', import.meta.url));
/** Prints the version if Python is recent enough for the packages. */
const PYTHON_VERSION_CHECK = 'import sys, pip; sys.version_info >= (3, 11) and print(sys.implementation.cache_tag)';

/** Python, pip or the package index is missing on this machine. */
export class PythonMissingError extends Error {
  override readonly name = 'PythonMissingError';
}

/**
 * Installs the packages of `requirements.txt` once per machine.
 * @returns the folder for `PYTHONPATH`; its `bin` has the programs
 * @throws PythonMissingError if the packages can't be had here
 * @throws Error if a package doesn't have a recorded hash
 */
export async function pythonPackages(): Promise<string> {
  const version = await run('python3', ['-c', PYTHON_VERSION_CHECK]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  if (version === '') throw new PythonMissingError('python3 (3.11 or later) with pip is missing');
  const key = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .update(`${version} ${process.platform} ${process.arch}`)
    .digest('hex');
  const installed = join(CACHE, `python-${key.slice(0, 16)}`);
  if (!existsSync(installed)) await install(installed);
  return installed;
}

/** Installs beside the target and renames, so that an interrupted installation never appears complete. */
async function install(target: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const partial = await mkdtemp(join(CACHE, 'partial-'));
  try {
    await run('python3', [
      ...['-m', 'pip', 'install', '--quiet', '--target', partial, '--requirement', REQUIREMENTS],
      ...[
        '--require-hashes',
        '--no-deps',
        '--only-binary',
        ':all:',
        '--no-compile',
        '--retries',
        '1',
        '--timeout',
        '15',
      ],
    ]);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    const { stderr = '' } = error as { stderr?: string };
    if (/hash/i.test(stderr)) throw error;
    throw new PythonMissingError(`the packages can't be installed: ${stderr.slice(-500)}`, { cause: error });
  }
}
