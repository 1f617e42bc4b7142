import { mcpCaller } from '../../lib/api/mcp/mcp-caller.ts';
import { handle } from '../../lib/api/serve.ts';
import { EVENT_STREAM } from '../../lib/contract/event-stream.ts';
import { callMcp as route } from '../../lib/contract/routes/mcp.ts';
import { answerMcp } from '../../lib/mcp/answer-request.ts';

/** `POST /mcp` */
export const handler = handle(route, mcpCaller, async ({ body, headers }, call, callerOf) => {
  const { stream, ...answer } = await answerMcp({ body, headers }, await callerOf(call), call.accepts);
  return stream === undefined ? answer : { text: stream, headers: { 'content-type': EVENT_STREAM } };
});
