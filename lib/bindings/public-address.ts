import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The addresses that signed calls may reach. */
export interface Reach {
  /** Also allow loopback addresses and addresses without TLS, for local trials. */
  readonly loopback: boolean;
}

/** The only IPv6 range that is assigned for use on the internet. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is on the public internet: not private, loopback, link-local (where clouds keep their metadata),
 * shared, reserved, or an IPv6 form that leads to an IPv4 address.
 * @param address as text; anything that is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Whether a call to an address is allowed. */
export function isReachable(address: string, { loopback }: Reach): boolean {
  return isPublicAddress(address) || (loopback && parse(address)?.range() === 'loopback');
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const withoutZone = address.replace(/%.*$/, '');
  // Short and hexadecimal forms of IPv4 are left to the resolver and checked after it. An IPv4 address in IPv6 form is
  // checked as IPv4.
  return isIP(withoutZone) > 0 ? ipaddr.process(withoutZone) : undefined;
}
