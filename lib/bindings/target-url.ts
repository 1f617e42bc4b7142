import { isIP } from 'node:net';
import { isReachable, type Reach } from './public-address.ts';

/** What is wrong with an address for signed calls, judging by its text; undefined: nothing. */
export function checkTarget(text: string, reach: Reach): string | undefined {
  if (!URL.canParse(text)) return 'is no URL; an https address is allowed';
  const url = new URL(text);
  const host = hostOf(url);
  const isLocal = reach.loopback && (host === 'localhost' || isReachable(host, reach));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) return 'is not https';
  if (url.username !== '' || url.password !== '') return 'has a user name or password, which every reader would see';
  if (isIP(host) > 0 && !isReachable(host, reach)) return 'is not an address of the public internet';
  return undefined;
}

/** The host of a URL, an IPv6 address without its brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
