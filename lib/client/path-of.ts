import { defaultPathSerializer } from 'openapi-fetch';
import { RequestError } from './errors.ts';

/** URLs take these parts of a path, in any spelling, for the folder itself or the one above it. */
const FOLDER = /^(\.|%2e){1,2}$/i;

/**
 * The path of a route with its values.
 * @throws RequestError for a value that would lead to another route
 */
export function pathOf(route: string, values: Readonly<Record<string, unknown>>): string {
  for (const [name, value] of Object.entries(values))
    if (FOLDER.test(String(value))) throw refused(name, String(value));
  return defaultPathSerializer(route, values);
}

/** @throws RequestError for a path, with or without its query, that leads to another one */
export function rejectFolders(path: string): void {
  const [route = ''] = path.split(/[?#]/, 1);
  const part = route.split(/[/\\]/).find((text) => FOLDER.test(text));
  if (part !== undefined) throw refused('path', path);
}

function refused(name: string, value: string): RequestError {
  const received = value.length > 60 ? `${value.slice(0, 60)}…` : value;
  return new RequestError(400, {
    error: `${name}: received ${JSON.stringify(received)}; "." and ".." are no part of an address`,
  });
}
