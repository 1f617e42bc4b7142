import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { PROGRAM } from './promptq-command.ts';

/** A connected client of `promptq mcp`. */
export interface Connection {
  tools(): Promise<readonly { name: string; inputSchema: unknown; description?: string | undefined }[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  call(name: string, args?: object): Promise<any>;
  /** Ends the server. @returns what it wrote to stderr */
  close(): Promise<string>;
}

type Env = Readonly<Record<string, string>>;
const parameters = (env: Env) => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp'],
  env: { PATH: process.env.PATH ?? '', PROMPTQ_RETRY_SECONDS: '1', ...env },
  stderr: 'pipe' as const,
});

/** Both lines of the official client. */
export const CONNECT: Readonly<Record<string, (env: Env) => Promise<Connection>>> = {
  '@modelcontextprotocol/client': async (env) => {
    const transport = new StdioClientTransport(parameters(env));
    const client = new Client({ name: 'test', version: '1' });
    return await connected(client, async () => await client.connect(transport), transport.stderr as Readable);
  },
  '@modelcontextprotocol/sdk': async (env) => {
    const transport = new FormerTransport(parameters(env));
    const client = new FormerClient({ name: 'test', version: '1' });
    return await connected(client, async () => await client.connect(transport), transport.stderr as Readable);
  },
};

async function connected(
  client: {
    listTools(): Promise<{ tools: { name: string; inputSchema: unknown; description?: string | undefined }[] }>;
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
    close(): Promise<void>;
  },
  connect: () => Promise<void>,
  stderr: Readable,
): Promise<Connection> {
  const printed = text(stderr);
  await connect();
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}) => await client.callTool({ name, arguments: { ...args } }),
    close: async () => {
      await client.close();
      return await printed;
    },
  };
}
