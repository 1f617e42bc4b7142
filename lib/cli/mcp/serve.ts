import { finished } from 'node:stream/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { mcpServer } from '../../mcp/mcp-server.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { explain } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/** Seconds for which failing requests are retried: part of the time of a call. */
const RETRY_SECONDS = 20;

/** Serves the tools on stdin and stdout until stdin ends. */
export async function run(context: Context): Promise<number> {
  const { version, stdin, terminal } = context;
  const ended = finished(stdin, { writable: false }).catch(() => undefined);
  // The credentials are read at each call, so that `promptq login` takes effect at once.
  const client = async (signal?: AbortSignal) => await clientOf(context, { atMostSeconds: RETRY_SECONDS, signal });
  const handle = serveStdio(
    () => mcpServer({ version, wire: 'stdio', client, explain: async (error) => await said(error, context) }),
    { onerror: (error) => void terminal.note(`mcp: ${error.message}`) },
  );
  await ended;
  await handle.close();
  return EXIT.succeeded;
}

/** The sentence about an error, for the client. */
async function said(error: unknown, { env, terminal }: Context): Promise<string> {
  const { exitCode, message } = explain(error, env);
  if (exitCode !== EXIT.internal) return message;
  await terminal.fail(message);
  return `promptq failed: ${error instanceof Error ? error.message : 'unknown error'}`;
}
