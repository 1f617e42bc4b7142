import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { ConfigDocument } from '../contract/schemas/config.ts';
import { readConfigFile } from './read-config-file.ts';

/** The file that is applied when there is one and no other is named. */
const DEFAULT_CONFIG_FILE = 'promptq.config.yaml';

/** A configuration file that was read and is right. */
export interface ConfigFile {
  readonly path: string;
  readonly document: ConfigDocument;
}

/** A configuration file that can't be applied: its message is for the operator, who needs no stack. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/**
 * Reads a configuration file from disk.
 * @param given as the operator named it; undefined or empty: `promptq.config.yaml`, if there is one.
 * @param options.folder what its path is relative to.
 * @param options.setting what the operator names the file by.
 * @throws ConfigFileError that names every fault with line and path, or the named file that is not there.
 */
export async function findConfigFile(
  given: string | undefined,
  { folder, setting }: { readonly folder: string; readonly setting: string },
): Promise<ConfigFile | undefined> {
  const isNamed = given !== undefined && given !== '' && given !== DEFAULT_CONFIG_FILE;
  const path = isNamed ? given : DEFAULT_CONFIG_FILE;
  let text: string;
  try {
    text = await readFile(resolve(folder, path), 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !isNamed) return undefined;
    throw new ConfigFileError(`the configuration ${path} (${setting}) can't be read: ${message}`);
  }
  try {
    return { path, document: readConfigFile(relative(folder, resolve(folder, path)) || path, text) };
  } catch (error) {
    throw new ConfigFileError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
