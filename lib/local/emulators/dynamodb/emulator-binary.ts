import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import packageJson from '../../../../package.json' with { type: 'json' };
import { platformName } from '../../../platform/platform-name.ts';

const VERSION = packageJson.optionalDependencies['@dynoxide/linux-x64'];

/**
 * Platforms whose emulator is published, but not in the lock file: not every registry has it. Linux x64 comes with its
 * own.
 */
const FETCHED = ['linux-arm64', 'darwin-arm64', 'darwin-x64'];

const INSTEAD =
  'Or start DynamoDB Local yourself and set PROMPTQ_DYNAMODB_ENDPOINT to its address, such as http://127.0.0.1:8000';

/**
 * The emulator for this platform: the installed one, or one that is fetched into a cache at the first start, by npm, which
 * compares it with the registry's hash. It appears by one rename, so that an interrupted fetch leaves nothing behind.
 * @throws Error where there is none, or npm fails
 */
export async function emulatorBinary(log: (line: string) => void): Promise<string> {
  const platform = platformName();
  const name = `@dynoxide/${platform}`;
  const installed = resolveIn(import.meta.url, name);
  if (installed !== undefined) return installed;
  if (!FETCHED.includes(platform))
    throw new Error(
      `there is no DynamoDB emulator for ${platform}, only for linux-x64, ${FETCHED.join(', ')}. ${INSTEAD}`,
    );
  const folder = join(cacheFolder(), `dynoxide-${VERSION}-${platform}`);
  const binary = join(folder, 'node_modules', name, 'dynoxide');
  if (await isThere(binary)) return binary;
  log(`fetching the DynamoDB emulator for ${platform} into ${folder}, once (about 10 MB)`);
  await fetchPackage(`${name}@${VERSION}`, folder).catch((cause: unknown) => {
    throw new Error(
      `the DynamoDB emulator for ${platform} is not installed: ${lastLine(cause)}. The first start needs npm and its registry. ${INSTEAD}`,
      { cause },
    );
  });
  return binary;
}

function resolveIn(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/dynoxide`);
  } catch {
    return undefined;
  }
}

function cacheFolder(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'promptq');
}

async function fetchPackage(wanted: string, folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const draft = await mkdtemp(`${folder}.`);
  try {
    await writeFile(join(draft, 'package.json'), '{"private":true}\n');
    const args = ['install', '--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...args, '--loglevel=error', wanted], { cwd: draft });
    await rename(draft, folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await isThere(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** What npm said last that says something, or why it could not be started. */
function lastLine(cause: unknown): string {
  const { stderr = '', message = '' } = cause as { stderr?: string; message?: string };
  const lines = stderr.split('\n').filter((line) => line.startsWith('npm error') && !line.includes('complete log'));
  return (lines.find((line) => !line.startsWith('npm error code')) ?? message).replace(/^npm error /, '').trim();
}

async function isThere(path: string): Promise<boolean> {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
