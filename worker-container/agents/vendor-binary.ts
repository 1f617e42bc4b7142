import { access, constants } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where a vendor's CLI is to be found. */
export interface VendorBinary {
  /** As people call it. */
  readonly name: string;
  /** The npm package that brings the binaries of all platforms. */
  readonly packageName: string;
  /** The variable that names another binary. */
  readonly variable: string;
  /** Paths inside the platform's own package (`PACKAGE-PLATFORM`), by Node's words for the platform (`linux-x64`). */
  readonly paths: Readonly<Record<string, string>>;
}

/**
 * The native binary of a CLI: `given`, or the one of the installed npm package. What such a package calls its command is
 * often a wrapper, whose SIGKILL leaves the CLI running. Throws a plain Error if there is none that can be executed.
 */
export async function findVendorBinary(binary: VendorBinary, given: string | undefined): Promise<string> {
  const path = given ?? installed(binary);
  try {
    await access(path, constants.X_OK);
  } catch (cause) {
    const said =
      given === undefined ? `installed with the package ${binary.packageName}` : `named by ${binary.variable}`;
    throw new Error(`the ${binary.name} CLI ${said} can't be executed: ${path}`, { cause });
  }
  return path;
}

function installed({ name, packageName, variable, paths }: VendorBinary): string {
  const platform = `${process.platform}-${process.arch}`;
  const path = paths[platform];
  if (path === undefined) throw new Error(`there is no ${name} CLI for ${platform}`);
  try {
    const described = createRequire(import.meta.url).resolve(`${packageName}-${platform}/package.json`);
    return join(dirname(described), path);
  } catch (cause) {
    throw new Error(`the ${name} CLI is not installed: install ${packageName} or set ${variable}`, { cause });
  }
}
