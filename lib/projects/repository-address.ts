/** Which repository addresses are allowed. */
export interface AddressRules {
  /** Whether a server on this machine may be reached without TLS; only for the local run. */
  readonly loopback: boolean;
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * What is wrong with a repository's address; undefined if it is valid. Only https is allowed, because git's other
 * transports run commands, read this machine's files or need keys. Credentials are referenced by name, never written in
 * the address.
 */
export function addressFault(address: string, { loopback }: AddressRules): string | undefined {
  if (/[^\x21-\x7e]/.test(address)) return 'an address has printable ASCII characters only';
  if (!URL.canParse(address)) return 'an https address is needed, such as https://git.example.com/team/app.git';
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    return 'an address must not hold credentials; name a secret by `secret`';
  // After another spelling (a backslash, a single slash), a browser and git disagree about which part is the host.
  if (!/^[a-z]+:\/\/[^/\\@]+\//i.test(address)) return 'an address is written https://HOST/PATH';
  const isLocal = loopback && ['http:', 'git:'].includes(url.protocol) && LOOPBACK_HOSTS.includes(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) return 'only https addresses are allowed';
  if (url.search !== '' || url.hash !== '') return 'an address must have neither query nor fragment';
  if (url.pathname === '/') return 'an address must name a repository, not only a host';
  return undefined;
}

/** The protocols that git may use, for its variable `GIT_ALLOW_PROTOCOL`. */
export function allowedProtocols({ loopback }: AddressRules): string {
  return loopback ? 'https:http:git' : 'https';
}
