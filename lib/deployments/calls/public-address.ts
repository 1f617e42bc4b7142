import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a signed call may reach. */
export interface Reach {
  /** Loopback addresses too, and those without TLS: for trying on one machine. */
  readonly loopback: boolean;
}

/** Of IPv6 nothing else has been given to anybody for use on the internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is one of the public internet: not private, loopback, link-local (where clouds keep their
 * metadata), shared, reserved, or an IPv6 form that leads to an IPv4 address.
 * @param address as text; what is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Whether a call may be made to an address. */
export function isReachable(address: string, { loopback }: Reach): boolean {
  return isPublicAddress(address) || (loopback && parse(address)?.range() === 'loopback');
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutZone = address.replace(/%.*$/, '');
  // Short and hexadecimal ways to write IPv4 are left to those that resolve names, and judged after them. An IPv4
  // address in IPv6's clothes is judged as what it is.
  return isIP(withoutZone) > 0 ? ipaddr.process(withoutZone) : undefined;
}
