import { mcpCaller } from '../../lib/api/mcp/mcp-caller.ts';
import { handle } from '../../lib/api/serve.ts';
import { ApiError } from '../../lib/contract/errors.ts';
import { EVENT_STREAM } from '../../lib/contract/event-stream.ts';
import { resumeMcp as route } from '../../lib/contract/routes/mcp.ts';
import { resumeMcp } from '../../lib/mcp/answer-request.ts';

/** `GET /mcp` */
export const handler = handle(route, mcpCaller, async ({ headers }, call, callerOf) => {
  const { 'last-event-id': eventId, ...given } = headers;
  if (eventId === undefined) throw ApiError.of('method_not_allowed', { allowed: ['POST'] });
  const stream = await resumeMcp(eventId, given, await callerOf(call));
  if (stream === undefined) throw ApiError.of('not_found');
  return { text: stream, headers: { 'content-type': EVENT_STREAM } };
});
