import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What changes the state of a process for the next file: its environment or folder, its globals, or which modules it has
 * loaded. `shared-process.ts` takes spies and fake timers back.
 */
const CHANGES = [
  /\bvi\.(mock|doMock|unmock|doUnmock|hoisted|resetModules|stubEnv|stubGlobal)\b/,
  /\bprocess\.(chdir|umask)\(/,
  /\bprocess\.env(\.\w+|\[[^\]]+\]) = /,
  /\bdelete process\.env\b/,
  /\bObject\.assign\((process\.env|globalThis)\b/,
  /\bapplyEnv\(.*\bprocess\.env\)/,
  /\b(withOperatorRegistry|enterDeployment|startLocalService|startGateway|countRouteRequests)\(/,
];
/** A file's own modules among the tests. */
const IMPORTED = /\bfrom '(\.{1,2}\/[^']+\.ts)'/g;

/** Whether a test file, or a module of `folder` that it imports, changes the state of the process that runs it. */
export function needsOwnProcess(file: string, folder: string): boolean {
  return someModule(file, folder, (text) => CHANGES.some((change) => change.test(text)));
}

/** Whether the text of a test file, or of a module of `folder` that it imports, is one that `matches`. */
export function someModule(
  file: string,
  folder: string,
  matches: (text: string) => boolean,
  seen = new Set<string>(),
): boolean {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (matches(text)) return true;
  const imported = [...text.matchAll(IMPORTED)].map(([, path = '']) => join(dirname(file), path));
  // A file may quote imports of programs that it only shows.
  const isModule = (path: string) => path.startsWith(folder) && existsSync(path);
  return imported.some((path) => isModule(path) && someModule(path, folder, matches, seen));
}
