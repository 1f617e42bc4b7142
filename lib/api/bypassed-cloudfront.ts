import type { APIGatewayProxyEvent } from 'aws-lambda';
import { lowerCaseHeaders } from '../access/authenticate.ts';
import { cameThroughDistribution } from '../access/origin-proof.ts';
import type { Core } from './runtime/core.ts';

/**
 * Whether a request has found a way around CloudFront, where neither its firewall nor what it says of the caller's
 * address can be relied on. It is refused before anything else is judged.
 */
export function bypassedCloudFront(event: APIGatewayProxyEvent, { env, behindCloudFront }: Core): boolean {
  return behindCloudFront && !cameThroughDistribution(lowerCaseHeaders(event), env.PROMPTQ_ORIGIN_DIGESTS);
}
