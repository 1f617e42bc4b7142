import * as z from 'zod';

/** A message of the Model Context Protocol: JSON-RPC 2.0. The protocol's library judges its contents. */
const members = {
  jsonrpc: z.literal('2.0').meta({ description: 'The version of JSON-RPC.' }),
  id: z.union([z.string(), z.number()]).optional().meta({ description: 'The id of a request, and of its answer.' }),
  error: z.looseObject({}).optional().meta({ description: "The error: the protocol's `code` and `message`." }),
};

export const mcpMessage = z
  .object({
    ...members,
    method: z.string().max(200).optional().meta({ description: 'Such as `tools/list` and `tools/call`.' }),
    params: z.looseObject({}).optional().meta({ description: 'The parameters of the method.' }),
    result: z.looseObject({}).optional().meta({ description: 'Of an answer by the client. Accepted and ignored.' }),
  })
  .meta({ id: 'McpMessage' });

export const mcpAnswer = z
  .object({
    ...members,
    id: z.unknown().optional().meta({ description: 'The id of the request; null if it could not be read.' }),
    result: z.looseObject({}).optional().meta({ description: 'What the method returns.' }),
  })
  .meta({ id: 'McpAnswer' });

/** Headers that the revision 2026-07-28 compares with the message. */
export const mcpHeaders = z.object({
  'mcp-protocol-version': z.string().max(100).optional().meta({ description: 'The revision of the protocol.' }),
  'mcp-method': z.string().max(200).optional().meta({ description: 'The method of the message, from 2026-07-28 on.' }),
  'mcp-name': z.string().max(2_000).optional().meta({ description: 'The name of the tool, from 2026-07-28 on.' }),
});
