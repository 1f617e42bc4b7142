import { defineRoute } from '../route.ts';
import { mcpAnswer, mcpHeaders, mcpMessage } from '../schemas/mcp.ts';

const JSON_RPC = "The protocol's own error, or that of the API.";

export const callMcp = defineRoute({
  id: 'mcp.call',
  method: 'POST',
  path: '/mcp',
  auth: { kind: 'principal', scope: 'read', only: 'tokens' },
  summary: 'Call the MCP server',
  description:
    "Serves tools for agents by the Model Context Protocol (Streamable HTTP, revisions of 2025 and 2026-07-28): one message for each request, without sessions. The tools call the API with the caller's token. `tools/list` names those that the token's scopes allow.",
  headers: mcpHeaders,
  body: mcpMessage,
  responses: {
    200: { description: 'The answer to a request.', schema: mcpAnswer },
    202: { description: 'A notification or an answer was accepted.' },
    400: { description: JSON_RPC, schema: mcpAnswer },
    404: { description: "The protocol's own error: no such method.", schema: mcpAnswer },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { publicOrigin: 'read' },
});
