import { onTestFinished } from 'vitest';
import type { Tool } from '../../../worker-container/tools/tool.ts';
import { startToolServer, type ToolServer } from '../../../worker-container/tools/tool-server.ts';

/** A tool server until the end of the test, and the messages that it logged. */
export async function serveTools(
  tools: readonly Tool[],
  { uid }: { readonly uid?: number } = {},
): Promise<ToolServer & { readonly logged: string[] }> {
  const logged: string[] = [];
  const log = { warn: (...given: readonly unknown[]) => void logged.push(String(given[0])) };
  const server = await startToolServer(tools, { log, version: '1.0.0', uid });
  onTestFinished(() => server.close());
  return { ...server, logged };
}

/** One request to a tool server, as an MCP client sends it. Headers that are undefined are left out. */
export async function request(
  { url, key }: Pick<ToolServer, 'url' | 'key'>,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Response> {
  const all: Record<string, string | undefined> = {
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'mcp-protocol-version': '2025-06-18',
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await fetch(url, { method: 'POST', headers: given, body: text });
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls a tool. */
export async function callTool(
  server: Pick<ToolServer, 'url' | 'key'>,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<ToolAnswer> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const { result, error } = (await (await request(server, call)).json()) as {
    result?: { content: { text: string }[]; isError?: boolean };
    error?: { message: string };
  };
  if (result === undefined) return { text: error?.message ?? '', isError: true };
  return { text: result.content.map(({ text }) => text).join('\n'), isError: result.isError === true };
}
