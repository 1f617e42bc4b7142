import { basename, delimiter } from 'node:path';

/** The variables that lead programs through a network, in both spellings: some read only one. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'] as const;
const NO_PROXY = ['NO_PROXY', 'no_proxy'] as const;

/** What git needs of its surroundings. */
const NETWORK = [
  ...PROXIES,
  ...NO_PROXY,
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
] as const;

/** Variables that a worker and its jobs inherit, so that programs work as in the terminal of its user. */
export const SURROUNDINGS = [
  ...NETWORK,
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
  'TZ',
  'LANGUAGE',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NUMERIC',
  'LC_TIME',
  'TERM',
  'USER',
  'LOGNAME',
] as const;

type Variables = Readonly<Record<string, unknown>>;

/** Those that are set. */
export function surroundingsIn(source: Variables): Record<string, string> {
  return setIn(SURROUNDINGS, source);
}

/** Those of the network that are set. */
export function networkIn(source: Variables): Record<string, string> {
  return setIn(NETWORK, source);
}

/**
 * What a local run passes on. No proxy is asked for this machine: the practice vendor and the tools of agents are here.
 */
export function withoutLoopback(source: Variables): Record<string, string> {
  const found = surroundingsIn(source);
  if (!PROXIES.some((name) => name in found)) return found;
  const spared = [found.NO_PROXY ?? found.no_proxy, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',');
  return { ...found, NO_PROXY: spared, no_proxy: spared };
}

/** The credentials in the addresses of proxies, to be masked: passwords, also as they are written there. */
export function proxySecrets(source: Variables): string[] {
  return Object.values(setIn(PROXIES, source)).flatMap((value) => {
    const [, credentials = ''] = /^(?:\w+:\/\/)?([^/]*)@/.exec(value) ?? [];
    const written = credentials.slice(credentials.indexOf(':') + 1);
    return credentials.includes(':') ? [credentials, written, decoded(written)] : [];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function setIn(names: readonly string[], source: Variables): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = source[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}

/** Folders that package managers put in front of the PATH of the scripts that they run. */
const ADDED = /(^|\/)node_modules\/\.bin\/?$|(^|\/)node-gyp-bin\/?$|^(yarn--|xfs-)/;

/**
 * The PATH that the user had before a package manager started this program: jobs get the user's node and tools, not the
 * program's.
 */
export function userPath({ PATH = '', npm_config_user_agent }: Readonly<Record<string, string | undefined>>): string {
  if (npm_config_user_agent === undefined) return PATH;
  const folders = PATH.split(delimiter);
  const first = folders.findIndex((folder) => !ADDED.test(folder) && !ADDED.test(basename(folder)));
  return first === -1 ? PATH : folders.slice(first).join(delimiter);
}
