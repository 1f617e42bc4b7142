import { finished } from 'node:stream/promises';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Answer } from '../../mcp/answers.ts';
import { mcpServer } from '../../mcp/mcp-server.ts';
import type { ToolName } from '../../mcp/tool-table.ts';
import { TOOL_CALLS } from '../../mcp/tools.ts';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { explain } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';

/** Seconds for which failing requests are retried: clients give up on a tool after about a minute. */
const RETRY_SECONDS = 20;

/** Serves the tools on stdin and stdout until stdin ends. */
export async function run(context: Context): Promise<number> {
  const { version, stdin, terminal } = context;
  const ended = finished(stdin, { writable: false }).catch(() => undefined);
  const call = async (name: ToolName, args: unknown, signal: AbortSignal) =>
    await answer(context, { name, args, signal });
  const handle = serveStdio(() => mcpServer({ version, wire: 'stdio', call }), {
    onerror: (error) => void terminal.note(`mcp: ${error.message}`),
  });
  await ended;
  await handle.close();
  return EXIT.succeeded;
}

/** The answer of a tool. The credentials are read at each call, so that `promptq login` takes effect at once. */
async function answer(
  context: Context,
  { name, args, signal }: { readonly name: ToolName; readonly args: unknown; readonly signal: AbortSignal },
): Promise<Answer> {
  try {
    const client = await clientOf(context, RETRY_SECONDS);
    return await TOOL_CALLS[name]({ client, wire: 'stdio', signal }, args as never);
  } catch (error) {
    const { exitCode, message } = explain(error);
    if (exitCode !== EXIT.internal) return { message, isError: true };
    await context.terminal.fail(message);
    return { message: `promptq failed: ${error instanceof Error ? error.message : 'unknown error'}`, isError: true };
  }
}
