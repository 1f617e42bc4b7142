import { EVENT_STREAM } from '../event-stream.ts';
import { defineRoute } from '../route.ts';
import { mcpAnswer, mcpEvents, mcpHeaders, mcpMessage, mcpResumptionHeaders } from '../schemas/mcp.ts';

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
    200: {
      description: 'The answer to a request. As an event stream: the result of a task follows on `GET /mcp`.',
      schema: mcpAnswer,
      otherMedia: { [EVENT_STREAM]: mcpEvents },
    },
    202: { description: 'A notification or an answer was accepted.' },
    400: { description: JSON_RPC, schema: mcpAnswer },
    404: { description: "The protocol's own error: no such method.", schema: mcpAnswer },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { publicOrigin: 'read' },
});

export const resumeMcp = defineRoute({
  id: 'mcp.resume',
  method: 'GET',
  path: '/mcp',
  auth: { kind: 'principal', scope: 'read', only: 'tokens' },
  summary: 'Resume a request to the MCP server',
  description:
    'Continues to wait for the result of a task (`tasks/result`) behind the last event that the client received. There is no other stream: without `Last-Event-ID` the answer is 405, as the protocol requires.',
  headers: mcpResumptionHeaders,
  responses: {
    200: {
      description: 'The answer, or one event without data after which the client resumes again.',
      otherMedia: { [EVENT_STREAM]: mcpEvents },
    },
  },
  errors: ['invalid_request', 'not_found', 'method_not_allowed'],
  mode: 'buffered',
  access: { publicOrigin: 'read' },
});
