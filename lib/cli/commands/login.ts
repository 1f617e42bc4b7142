import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { dataOf } from '../../client/data-of.ts';
import { errorSentence } from '../../client/error-sentence.ts';
import { RequestError } from '../../client/errors.ts';
import { Promptq } from '../../client/promptq.ts';
import { harmless } from '../../contract/input/harmless.ts';
import { retrySeconds } from '../base/client-of.ts';
import type { CommandRun, Context } from '../base/context.ts';
import { checkToken, checkUrl, saveCredentials } from '../base/credentials.ts';
import { CommandError, usageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

const LOCAL_URL = 'http://127.0.0.1:8787';

/** A token is never an argument, which other users of the machine could see. */
export const run: CommandRun<{ readonly json?: true }> = async (context, [given], { json }) => {
  const { env, terminal } = context;
  const url = checkUrl(given ?? (env.PROMPTQ_URL || LOCAL_URL), 'url');
  if (isExposed(url)) await terminal.note(`${url} is not encrypted: everyone on the way can read the token`);
  const token = checkToken(await readToken(context, url));
  const client = new Promptq({ baseUrl: url, token, retrySeconds: retrySeconds(env) });
  const caller = await dataOf(client.api.GET('/api/v1/session')).catch((error: unknown) => {
    if (!(error instanceof RequestError) || error.status !== 401) throw error;
    throw new CommandError(EXIT.notAllowed, `${errorSentence(error)}; nothing is saved`);
  });
  const path = await saveCredentials(env, { url, token });
  if (json) await terminal.printJson(caller);
  else await terminal.print(`Logged in to ${url} as ${harmless(caller.name)}. Saved in ${path}.`);
  return EXIT.succeeded;
};

async function readToken(context: Context, url: string): Promise<string> {
  const { env, stdin, terminal } = context;
  const token = (stdin.isTTY ? env.PROMPTQ_TOKEN || (await askToken(context, url)) : await text(stdin)).trim();
  if (token !== '') return token;
  await terminal.note('for example: promptq login URL < .promptq/token');
  throw usageError('there is no token on stdin');
}

async function askToken({ stdin, terminal }: Context, url: string): Promise<string> {
  // What is typed is written nowhere, from before the user is asked.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: true });
  try {
    await terminal.note(`Token for ${url} (not shown):`);
    return await new Promise((resolve, reject) => {
      // Ctrl-C and Ctrl-D reject the question. The end of stdin only closes the lines.
      const interrupt = () => reject(new CommandError(EXIT.interrupted, 'interrupted; nothing is saved'));
      lines.once('close', interrupt).question('').then(resolve, interrupt);
    });
  } finally {
    lines.close();
  }
}

function isExposed(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(127\.\d+\.\d+\.\d+|localhost|.*\.localhost|\[::1\])$/.test(hostname);
}
