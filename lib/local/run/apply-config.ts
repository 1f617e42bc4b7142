import { type ConfigFile, ConfigFileError } from '../../catalog/find-config-file.ts';
import { importConfig } from '../../catalog/import-config.ts';
import type { Sandbox } from '../../catalog/sandboxes.ts';

/** Applies a local run's configuration file. @returns a line for the operator; undefined if nothing changed. */
export async function applyLocalConfig(
  context: Parameters<typeof importConfig>[0],
  { path, document }: ConfigFile,
  sandboxes: readonly Sandbox[],
): Promise<string | undefined> {
  try {
    const { rules, profiles } = await importConfig(context, document, { dryRun: false, sandboxes });
    const changed = [rules, profiles].map(({ created, updated }) => created.length + updated.length);
    if (changed.every((count) => count === 0)) return undefined;
    return `${path}: ${changed[0]} rules and ${changed[1]} profiles are new or different`;
  } catch (error) {
    throw new ConfigFileError(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
