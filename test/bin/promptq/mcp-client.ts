import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FormerHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { PROGRAM } from './promptq-command.ts';

/** A connected client of a server of the tools. */
export interface Connection {
  tools(): Promise<readonly { name: string; inputSchema: unknown; description?: string | undefined }[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  call(name: string, args?: object): Promise<any>;
  /** Ends the connection, and a server on stdio. @returns what the server wrote to stderr */
  close(): Promise<string>;
}

type Env = Readonly<Record<string, string>>;
const parameters = (env: Env) => ({
  command: process.execPath,
  args: [PROGRAM, 'mcp'],
  env: { PATH: process.env.PATH ?? '', PROMPTQ_RETRY_SECONDS: '1', ...env },
  stderr: 'pipe' as const,
});

/** Both lines of the official client, on stdio. */
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

/** The same by HTTP, and in the revision 2026-07-28, which the newer line speaks if it is asked to. */
export const CONNECT_HTTP: typeof CONNECT = {
  '@modelcontextprotocol/client': async (env) => await connectedByHttp(env, {}),
  '@modelcontextprotocol/client, 2026-07-28': async (env) =>
    await connectedByHttp(env, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  '@modelcontextprotocol/sdk': async (env) => {
    const transport = new FormerHttpTransport(...addressOf(env));
    const client = new FormerClient({ name: 'test', version: '1' });
    // Its types promise a session id that only some servers give.
    const connect = async () => await client.connect(transport as Parameters<typeof client.connect>[0]);
    return await connected(client, connect, NOTHING());
  },
};

const NOTHING = () => Readable.from([]);

async function connectedByHttp(env: Env, options: ClientOptions): Promise<Connection> {
  const transport = new StreamableHTTPClientTransport(...addressOf(env));
  const client = new Client({ name: 'test', version: '1' }, options);
  return await connected(client, async () => await client.connect(transport), NOTHING());
}

function addressOf({ PROMPTQ_URL: url = '', PROMPTQ_TOKEN: token = '' }: Env): [URL, { requestInit: RequestInit }] {
  return [new URL(`${url}/api/v1/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }];
}

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
