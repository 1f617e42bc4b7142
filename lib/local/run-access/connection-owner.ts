import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { isLinux } from '../../platform/platform-name.ts';

type Ports = Pick<Socket, 'localPort' | 'remotePort'>;

/** Linux's lists of connections, IPv4 and IPv6. */
const LISTS = ['/proc/net/tcp', '/proc/net/tcp6'];
/** 127.0.0.1 in these lists. */
const LOOPBACK = /^(0000000000000000FFFF0000)?0100007F$/;

/**
 * Whether the other end of a loopback connection belongs to this process's user, or to root (which relays connections
 * of Windows into WSL). Any user can connect to a loopback port, but not as another user. false also where the system
 * doesn't report it.
 */
export async function isOwnConnection(socket: Ports, lists: readonly string[] = LISTS): Promise<boolean> {
  if (!isLinux()) return false;
  const owner = await ownerOf(socket, lists);
  return owner !== undefined && (owner === 0 || owner === process.getuid?.());
}

/** Attempts. The kernel writes a list in pieces, so a connection can be missing when others close meanwhile. */
const MAX_READS = 3;

async function ownerOf(ports: Ports, lists: readonly string[]): Promise<number | undefined> {
  for (const list of Array.from({ length: MAX_READS }, () => lists).flat()) {
    const owner = ownerIn(await readFile(list, 'utf8').catch(() => ''), ports);
    if (owner !== undefined) return owner;
  }
  return undefined;
}

function ownerIn(list: string, { localPort, remotePort }: Ports): number | undefined {
  for (const line of list.split('\n')) {
    const [, local, remote, , , , , owner, , inode] = line.trim().split(/\s+/);
    // A socket that its process has closed has no inode, and user 0 instead of its owner.
    if (isAt(local, remotePort) && isAt(remote, localPort) && inode !== '0') return Number(owner);
  }
  return undefined;
}

function isAt(place: string | undefined, port: number | undefined): boolean {
  const [address = '', at = ''] = (place ?? '').split(':');
  return LOOPBACK.test(address) && Number.parseInt(at, 16) === port;
}
