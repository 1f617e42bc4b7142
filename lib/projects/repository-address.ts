/** Which repositories there can be. */
export interface AddressRules {
  /** Whether a server on this very machine may be reached without TLS; only for the local run. */
  readonly loopback: boolean;
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * What is wrong with the address of a repository; undefined: nothing. Only https is spoken, because git's other ways to
 * reach a repository run commands, read this machine's files or need keys; and credentials are named, not written down.
 */
export function addressFault(address: string, { loopback }: AddressRules): string | undefined {
  if (/[^\x21-\x7e]/.test(address)) return 'an address has printable ASCII characters only';
  if (!URL.canParse(address)) return 'an https address is needed, such as https://git.example.com/team/app.git';
  const url = new URL(address);
  if (url.username !== '' || url.password !== '')
    return 'an address must not hold credentials; name a secret by `secret`';
  // What follows another spelling of it (a backslash, one slash) is the host to a browser and not to git, or the reverse.
  if (!/^[a-z]+:\/\/[^/\\@]+\//i.test(address)) return 'an address is written https://HOST/PATH';
  const isLocal = loopback && ['http:', 'git:'].includes(url.protocol) && LOOPBACK_HOSTS.includes(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) return 'only https addresses are allowed';
  if (url.search !== '' || url.hash !== '') return 'an address must have neither query nor fragment';
  if (url.pathname === '/') return 'an address must name a repository, not only a host';
  return undefined;
}

/** What git may speak, as its variable `GIT_ALLOW_PROTOCOL`. */
export function allowedProtocols({ loopback }: AddressRules): string {
  return loopback ? 'https:http:git' : 'https';
}
