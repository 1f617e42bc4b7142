import { isAbsolute, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLegible } from '../contract/input/legible.ts';
import { readGrants } from '../platform/config/granted-folders.ts';

/** Which repository addresses are allowed. */
export interface AddressRules {
  /** Whether a server on this machine may be reached without TLS; only for the local run. */
  readonly loopback: boolean;
  /** Where folders of this machine may be repositories; absent: nowhere, as in the cloud. */
  readonly roots?: readonly string[];
}

interface AddressSettings {
  readonly PROMPTQ_REPOSITORY_LOOPBACK: boolean;
  readonly PROMPTQ_TEMP: string;
  readonly PROMPTQ_ALLOWED_ROOTS: readonly string[];
  readonly PROMPTQ_GRANTED_FOLDERS?: string | undefined;
}

/** The rules of a process, as of now: the user of a local run may grant a folder at any time. */
export function addressRules(env: AddressSettings): AddressRules {
  const { PROMPTQ_REPOSITORY_LOOPBACK: loopback, PROMPTQ_GRANTED_FOLDERS: file } = env;
  if (file === undefined) return { loopback };
  const { here, worktree } = readGrants(file);
  return { loopback, roots: [env.PROMPTQ_TEMP, ...env.PROMPTQ_ALLOWED_ROOTS, ...here, ...worktree] };
}

const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * What is wrong with a repository's address; undefined if it is valid. Only https is allowed, because git's other
 * transports run commands, read this machine's files or need keys. A local run also takes a folder in which its user
 * lets jobs read. Credentials are referenced by name, never written in the address.
 */
export function addressFault(address: string, { loopback, roots }: AddressRules): string | undefined {
  const folder = localFolder(address);
  if (folder !== undefined) return folderFault(folder, roots);
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

/** The folder that an address names, as `/path` or `file:///path`; undefined: it names a server. */
export function localFolder(address: string): string | undefined {
  if (isAbsolute(address)) return address;
  if (!/^file:\/\/\//i.test(address) || !URL.canParse(address)) return undefined;
  try {
    return fileURLToPath(address);
  } catch {
    return undefined;
  }
}

/** What is wrong with the path of a repository; its links are not followed. */
export function folderFault(folder: string, roots: readonly string[] | undefined): string | undefined {
  if (roots === undefined) return 'only a local run takes a folder of its machine; an https address is needed';
  if (!isLegible(folder) || normalize(folder) !== folder)
    return 'a folder is written /PATH, without `.`, `..` and control characters';
  if (roots.some((root) => isBelow(root, folder))) return undefined;
  return `a folder must lie under one of ${roots.join(', ')}; start the service with --allow FOLDER, or use \`promptq run\` in the folder`;
}

function isBelow(root: string, folder: string): boolean {
  return relative(root, folder).split(sep)[0] !== '..';
}

/** The protocols that git may use, for its variable `GIT_ALLOW_PROTOCOL`. */
export function allowedProtocols({ loopback }: AddressRules): string {
  return loopback ? 'https:http:git' : 'https';
}
