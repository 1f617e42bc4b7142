import type { APIGatewayProxyEvent } from 'aws-lambda';
import ipaddr from 'ipaddr.js';
import { VIEWER_ADDRESS_HEADER } from '../platform/config/edge-headers.ts';

/**
 * The address that a call came from, in its shortest form; an IPv4 address that is written as an IPv6 one is taken as the
 * IPv4 one. undefined if nothing legible is known.
 * @param options.behindCloudFront whether every request passes through CloudFront, which sets the header; else anybody
 *   could set it, and only the other end of the connection counts.
 */
export function callerAddress(
  event: Pick<APIGatewayProxyEvent, 'headers' | 'requestContext'>,
  options: { behindCloudFront: boolean },
): string | undefined {
  const viewer = Object.entries(event.headers).find(([name]) => name.toLowerCase() === VIEWER_ADDRESS_HEADER)?.[1];
  const text = options.behindCloudFront && viewer ? viewer.trim() : event.requestContext.identity.sourceIp;
  return text && ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}

/** Whether an address lies in one of the ranges, which are CIDRs of either family. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}
