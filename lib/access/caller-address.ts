import type { APIGatewayProxyEvent } from 'aws-lambda';
import ipaddr from 'ipaddr.js';
import { VIEWER_ADDRESS_HEADER } from '../platform/config/edge-headers.ts';

/**
 * The client's address in its shortest form; an IPv4-mapped IPv6 address becomes IPv4. undefined if it is missing or
 * invalid.
 * @param options.behindCloudFront whether every request passes through CloudFront, which sets the header. Otherwise
 *   any client could set it, and only the connection's peer address is trusted.
 */
export function callerAddress(
  event: Pick<APIGatewayProxyEvent, 'headers' | 'requestContext'>,
  options: { behindCloudFront: boolean },
): string | undefined {
  const viewer = Object.entries(event.headers).find(([name]) => name.toLowerCase() === VIEWER_ADDRESS_HEADER)?.[1];
  const text = options.behindCloudFront && viewer ? viewer.trim() : event.requestContext.identity.sourceIp;
  return text && ipaddr.isValid(text) ? ipaddr.process(text).toString() : undefined;
}

/** Whether an address is in one of the CIDR ranges (IPv4 or IPv6). */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === parsed.kind() && parsed.match(network, bits);
  });
}
