import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Promptq } from '../../../lib/client/promptq.ts';
import { mcpServer } from '../../../lib/mcp/mcp-server.ts';

/** Connects a client of the 2025 revisions to the tools, which call the service at `baseUrl` without retries. */
export async function withClient<T>(
  { baseUrl, ...options }: { baseUrl: string } & Partial<Parameters<typeof mcpServer>[0]>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const server = mcpServer({
    ...{ version: '1.2.3', wire: 'stdio' },
    client: async (signal) => new Promptq({ baseUrl, token: 't', retrySeconds: 0, signal }),
    explain: async (error, of) => `${of}: ${(error as Error).message}`,
    ...options,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far as Parameters<typeof server.connect>[0]);
  await client.connect(near);
  try {
    return await work(client);
  } finally {
    await client.close();
    await server.close();
  }
}
