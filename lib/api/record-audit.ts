import type { APIGatewayProxyEvent } from 'aws-lambda';
import { callerAddress } from '../access/caller-address.ts';
import type { Principal } from '../access/principal.ts';
import { pathParametersOf } from './path-parameters.ts';
import type { Core } from './runtime/core.ts';

/** Maximum recorded length of a path parameter; ours are shorter. */
const MAX_PARAMETER_LENGTH = 200;

/** Records the action of an authorized principal before the response is sent. */
export async function recordAudit(
  { audit, behindCloudFront }: Core,
  event: APIGatewayProxyEvent,
  call: { readonly principal: Principal; readonly action: string; readonly status: number; readonly requestId: string },
): Promise<void> {
  const target = Object.entries(pathParametersOf(event)).map(([name, value]) => [
    name,
    value.slice(0, MAX_PARAMETER_LENGTH).toWellFormed(),
  ]);
  await audit.record({
    actor: call.principal.name,
    action: call.action,
    target: Object.fromEntries(target),
    sourceIp: callerAddress(event, { behindCloudFront }),
    status: call.status,
    requestId: call.requestId,
  });
}
