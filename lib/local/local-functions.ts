import { pathToFileURL } from 'node:url';
import { doors } from '../contract/routes/routes.ts';
import { CATCH_ALL } from './gateway/gateway-resources.ts';
import { programFile } from './program/program-files.ts';

/** Loads every function, one after the other: later the process may run out of file descriptors. */
export async function loadFunctions(): Promise<void> {
  for (const { id } of [...doors, { id: CATCH_ALL }]) await loadFunction(id);
}

/** @param functionId such as `jobs.create` */
export async function loadFunction(functionId: string): Promise<unknown> {
  return await import(pathToFileURL(programFile(`functions/${functionId.replace('.', '/')}`)).href);
}
