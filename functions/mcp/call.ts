import { mcpCaller } from '../../lib/api/mcp/mcp-caller.ts';
import { handle } from '../../lib/api/serve.ts';
import { callMcp as route } from '../../lib/contract/routes/mcp.ts';
import { answerMcp } from '../../lib/mcp/answer-request.ts';

/** `POST /mcp` */
export const handler = handle(
  route,
  mcpCaller,
  async ({ body, headers }, call, callerOf) => await answerMcp({ body, headers }, await callerOf(call)),
);
