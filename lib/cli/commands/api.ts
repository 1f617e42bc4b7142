import { readFile } from 'node:fs/promises';
import { buffer, text } from 'node:stream/consumers';
import { BASE_PATH } from '../../contract/route.ts';
import { clientOf } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

interface ApiOptions {
  readonly data?: string;
  readonly file?: string;
}

/** Sends one request, and prints the body of its answer as it is. */
export const run: CommandRun<ApiOptions> = async (context, [method = 'GET', path = ''], options) => {
  if (!path.startsWith('/')) throw usageError(`the path must begin with /, such as /stats; received ${path}`);
  const body = await bodyOf(context, options);
  const client = await clientOf(context);
  const target = path.startsWith(`${BASE_PATH}/`) ? path.slice(BASE_PATH.length) : path;
  const response = await client.request(method, target, body);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (response.body !== null) await context.terminal.copyBytes(await buffer(response.body), isJson ? '\n' : '');
  return EXIT.succeeded;
};

/** The body, checked before it is sent. */
async function bodyOf({ stdin }: Context, { data, file }: ApiOptions): Promise<string | undefined> {
  const given = data ?? (file === undefined ? undefined : await readBody(file, stdin));
  if (given === undefined) return undefined;
  try {
    JSON.parse(given);
  } catch (error) {
    throw usageError(`the body is not JSON: ${(error as Error).message}`);
  }
  return given;
}

async function readBody(file: string, stdin: Context['stdin']): Promise<string> {
  if (file === '-') return await text(stdin);
  return await readFile(file, 'utf8').catch((error: Error) => {
    throw usageError(`can't read the body: ${error.message}`);
  });
}
