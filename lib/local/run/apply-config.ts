import { importConfig } from '../../catalog/catalog.ts';
import { type ConfigFile, ConfigFileError } from '../../catalog/find-config-file.ts';
import type { Sandbox } from '../../catalog/sandboxes.ts';

/** Characters of a profile's arguments that are shown. */
const SHOWN_ARGS = 300;

/**
 * Applies a local run's configuration file. The file may have come with the folder, so what it makes profiles run is
 * shown.
 * @returns lines for the operator; undefined if nothing changed
 */
export async function applyLocalConfig(
  context: Parameters<typeof importConfig>[0],
  { path, document }: ConfigFile,
  sandboxes: readonly Sandbox[],
): Promise<string | undefined> {
  try {
    const { dry_run: _, ...lists } = await importConfig(context, document, { dryRun: false, sandboxes });
    const counts = Object.entries(lists)
      .map(([list, { created, updated }]) => [list, created.length + updated.length] as const)
      .filter(([, count]) => count > 0);
    if (counts.length === 0) return undefined;
    const { profiles } = lists;
    const names = [...profiles.created, ...profiles.updated];
    const shown = document.profiles?.filter(({ name }) => names.includes(name)).map(describeProfile) ?? [];
    const changed = new Intl.ListFormat('en').format(counts.map(([list, count]) => `${count} ${list}`));
    return [`${path}: ${changed} are new or different`, ...shown].join('\n  ');
  } catch (error) {
    throw new ConfigFileError(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

type ProfileEntry = NonNullable<ConfigFile['document']['profiles']>[number];

/** What decides which program runs, where it sends its key and what it may do. */
function describeProfile({ name, agent, sandbox = 'none', args = [], env = {} }: ProfileEntry): string {
  const variables = Object.keys(env);
  const given = printable(args);
  return [
    `profile ${name}: agent ${agent}, sandbox ${sandbox}`,
    ...(args.length > 0 ? [`args ${given.slice(0, SHOWN_ARGS)}${given.length > SHOWN_ARGS ? '…' : ''}`] : []),
    ...(variables.length > 0 ? [`env ${variables.join(' ')}`] : []),
  ].join(', ');
}

/** As JSON in ASCII, in which nothing can change a terminal. */
function printable(args: readonly string[]): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(args).replaceAll(/[^ -~]/g, escaped);
}
