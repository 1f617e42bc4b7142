import { finished } from 'node:stream/promises';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { clientOf } from '../base/client-of.ts';
import type { Context } from '../base/context.ts';
import { explain } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { type Answer, toolResult } from './answers.ts';
import { TOOL_INPUTS } from './tool-inputs.ts';
import { TOOLS, type ToolName } from './tool-table.ts';
import { TOOL_CALLS } from './tools.ts';

/** Seconds for which failing requests are retried: clients give up on a tool after about a minute. */
const RETRY_SECONDS = 20;

const INSTRUCTIONS =
  'Promptq runs jobs of coding agents in the background. Delegate a task with create_job, call wait_for_job until the job has ended, then read its answer with job_result.';

/** Serves the tools on stdin and stdout until stdin ends. */
export async function run(context: Context): Promise<number> {
  const ended = finished(context.stdin, { writable: false }).catch(() => undefined);
  const handle = serveStdio(() => createServer(context), {
    onerror: (error) => void context.terminal.note(`mcp: ${error.message}`),
  });
  await ended;
  await handle.close();
  return EXIT.succeeded;
}

function createServer(context: Context): McpServer {
  const server = new McpServer({ name: 'promptq', version: context.version }, { instructions: INSTRUCTIONS });
  for (const { name, title, about, hints } of TOOLS) {
    const inputSchema = fromJsonSchema(TOOL_INPUTS[name]);
    server.registerTool(
      name,
      { title, description: about, inputSchema, annotations: hints },
      async (args, { mcpReq: { signal } }) => toolResult(await answer(context, { name, args, signal })),
    );
  }
  return server;
}

/** The answer of a tool. The credentials are read at each call, so that `promptq login` takes effect at once. */
async function answer(
  context: Context,
  { name, args, signal }: { readonly name: ToolName; readonly args: unknown; readonly signal: AbortSignal },
): Promise<Answer> {
  try {
    return await TOOL_CALLS[name](await clientOf(context, RETRY_SECONDS), args as never, signal);
  } catch (error) {
    const { exitCode, message } = explain(error);
    if (exitCode !== EXIT.internal) return { message, isError: true };
    await context.terminal.fail(message);
    return { message: `promptq failed: ${error instanceof Error ? error.message : 'unknown error'}`, isError: true };
  }
}
