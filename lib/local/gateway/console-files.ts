import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, normalize } from 'node:path';
import {
  CONSOLE_HEADERS,
  consoleCacheControl,
  consoleFile,
  consoleMediaType,
} from '../../platform/config/console-headers.ts';
import { builtConsole } from '../program/console-build.ts';

/** Serves the console's addresses, as CloudFront does in the cloud. */
export type ConsoleSite = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

/**
 * @param log receives the reason if the console can't be built; the API works without it.
 * @param build brings the folder of its files
 */
export function consoleSite(log: (line: string) => void, build: () => Promise<string> = builtConsole): ConsoleSite {
  let built: Promise<string> | undefined;
  /** What the browser has asked for; the build never changes. A page is some forty files. */
  const contents = new Map<string, Buffer>();
  return async (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, 'Only pages live here; the API is under /api/v1.');
    built ??= build();
    const folder = await built.catch((error: unknown) => {
      built = undefined;
      log(String(error));
      return undefined;
    });
    if (folder === undefined)
      return send(response, 503, 'The console could not be built; the log of this run says why.');
    const file = consoleFile(normalize(path));
    if (file === undefined) return send(response, 404, 'There is no such file.');
    const content = contents.get(file) ?? (await readFile(join(folder, file)).catch(() => undefined));
    if (content === undefined) return send(response, 404, 'There is no such file.');
    contents.set(file, content);
    response.writeHead(200, {
      ...CONSOLE_HEADERS,
      'cache-control': consoleCacheControl(file),
      'content-type': consoleMediaType(file),
      'content-length': content.length,
    });
    response.end(content);
  };
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { ...CONSOLE_HEADERS, 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
