import { access, constants, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/** Where to find a vendor's CLI. */
interface VendorBinary {
  /** The common name. */
  readonly name: string;
  /** The npm package that brings the binaries of all platforms. */
  readonly packageName: string;
  /** The variable that names another binary. */
  readonly variable: string;
  /** Paths inside the platform's own package (`PACKAGE-PLATFORM`), keyed by Node's platform name (`linux-x64`). */
  readonly paths: Readonly<Record<string, string>>;
}

/** The native codex: `given`, or the installed npm package's. @throws Error with a plain message if it can't run */
export async function findCodex(given: string | undefined): Promise<string> {
  return await findVendorBinary(CODEX, given);
}

const CODEX: VendorBinary = {
  name: 'codex',
  packageName: '@openai/codex',
  variable: 'PROMPTQ_CODEX_BIN',
  paths: {
    'linux-x64': 'vendor/x86_64-unknown-linux-musl/bin/codex',
    'linux-arm64': 'vendor/aarch64-unknown-linux-musl/bin/codex',
    'darwin-x64': 'vendor/x86_64-apple-darwin/bin/codex',
    'darwin-arm64': 'vendor/aarch64-apple-darwin/bin/codex',
  },
};

/** The native claude: `given`, or the installed npm package's. @throws Error with a plain message if it can't run */
export async function findClaude(given: string | undefined): Promise<string> {
  return await findVendorBinary(CLAUDE, given);
}

/** The version of the codex that `findCodex` finds; undefined: not known. */
export async function codexVersion(given: string | undefined): Promise<string | undefined> {
  return await versionOf(CODEX, given);
}

/** The version of the claude that `findClaude` finds; undefined: not known. */
export async function claudeVersion(given: string | undefined): Promise<string | undefined> {
  return await versionOf(CLAUDE, given);
}

const CLAUDE: VendorBinary = {
  name: 'claude',
  packageName: '@anthropic-ai/claude-code',
  variable: 'PROMPTQ_CLAUDE_BIN',
  paths: { 'linux-x64': 'claude', 'linux-arm64': 'claude', 'darwin-x64': 'claude', 'darwin-arm64': 'claude' },
};

/**
 * The native binary of a CLI: `given`, or the installed npm package's. The package's command is often a wrapper, and a
 * SIGKILL to a wrapper leaves the CLI running.
 * @throws Error with a plain message if none is executable
 */
async function findVendorBinary(binary: VendorBinary, given: string | undefined): Promise<string> {
  const path = given ?? installed(binary);
  try {
    await access(path, constants.X_OK);
  } catch (cause) {
    const said =
      given === undefined ? `installed with the package ${binary.packageName}` : `named by ${binary.variable}`;
    throw new Error(`The ${binary.name} CLI ${said} can't be executed: ${path}`, { cause });
  }
  return path;
}

function installed({ name, packageName, variable, paths }: VendorBinary): string {
  const platform = `${process.platform}-${process.arch}`;
  const path = paths[platform];
  if (path === undefined) throw new Error(`There is no ${name} CLI for ${platform}`);
  try {
    const place = createRequire(import.meta.url).resolve(`${packageName}-${platform}/package.json`);
    return join(dirname(place), path);
  } catch (cause) {
    throw new Error(`The ${name} CLI is not installed: install ${packageName} or set ${variable}`, { cause });
  }
}

/** Folders from a binary to that of its package, at most. */
const DEPTH = 6;
const VERSION = /^\d+\.\d+\.\d+/;

/** As the binary's package has it: to ask the CLI itself costs a start of it. */
async function versionOf(binary: VendorBinary, given: string | undefined): Promise<string | undefined> {
  try {
    let folder = dirname(await realpath(await findVendorBinary(binary, given)));
    for (let depth = 0; depth < DEPTH; depth += 1, folder = dirname(folder)) {
      const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const { name, version } = described.parse(JSON.parse(text));
      return name.startsWith(binary.packageName) ? VERSION.exec(version)?.[0] : undefined;
    }
  } catch {
    // Whatever is wrong with the binary is reported when it is to be started.
  }
  return undefined;
}

const described = z.object({ name: z.string(), version: z.string() });
