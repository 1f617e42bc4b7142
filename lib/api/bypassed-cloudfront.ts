import type { APIGatewayProxyEvent } from 'aws-lambda';
import { lowerCaseHeaders } from '../access/authenticate.ts';
import { cameThroughDistribution } from '../access/origin-secret.ts';
import type { Core } from './runtime/core.ts';

/**
 * Whether a request bypassed CloudFront, so that neither its firewall nor its client address applies. Such a request is
 * rejected before any other check.
 */
export function bypassedCloudFront(event: APIGatewayProxyEvent, { env, behindCloudFront }: Core): boolean {
  return behindCloudFront && !cameThroughDistribution(lowerCaseHeaders(event), env.PROMPTQ_ORIGIN_DIGESTS);
}
