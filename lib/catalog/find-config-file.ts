import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { ConfigDocument } from '../contract/schemas/config.ts';
import { readConfigFile } from './read-config-file.ts';

/** The file that applies if it exists and no other is named. */
const DEFAULT_CONFIG_FILE = 'promptq.config.yaml';

/** A valid configuration file. */
export interface ConfigFile {
  readonly path: string;
  readonly document: ConfigDocument;
}

/** A configuration file that can't be applied. The message is for the operator; no stack trace is needed. */
export class ConfigFileError extends Error {
  override readonly name = 'ConfigFileError';
}

/**
 * Reads a configuration file from disk.
 * @param given the operator's path; undefined or empty: `promptq.config.yaml`, if it exists
 * @param options.folder that the path is relative to
 * @param options.setting the name of the operator's setting, for messages
 * @throws ConfigFileError that lists every fault with line and path, or names the missing file
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
