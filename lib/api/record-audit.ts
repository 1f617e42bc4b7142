import type { APIGatewayProxyEvent } from 'aws-lambda';
import { callerAddress } from '../access/caller-address.ts';
import type { Principal } from '../access/principal.ts';
import { pathParametersOf } from './path-parameters.ts';
import type { Core } from './runtime/core.ts';

/** Maximum recorded length of a value of the target. Path parameters of ours are shorter. */
const MAX_VALUE_LENGTH = 200;

/** Records the action of an authorized principal before the response is sent. */
export async function recordAudit(
  { audit, behindCloudFront }: Core,
  event: APIGatewayProxyEvent,
  call: {
    readonly principal: Principal;
    readonly action: string;
    readonly status: number;
    readonly requestId: string;
    readonly target?: Readonly<Record<string, string>> | undefined;
  },
): Promise<void> {
  const target = Object.entries({ ...call.target, ...pathParametersOf(event) }).map(([name, value]) => [
    name,
    value.slice(0, MAX_VALUE_LENGTH).toWellFormed(),
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
