import { readFileSync } from 'node:fs';
import type { AddressInfo, Server, Socket } from 'node:net';

/**
 * Connections at once: so many that have sent the key, and so many that have not. Agents use one or two; the limit keeps
 * others from using up descriptors.
 */
const MAX_CONNECTIONS = 100;

/** The connections of a server. */
export interface LimitedConnections {
  /** The agent uses the connection: it is not closed for the sake of others. */
  onKey(socket: Socket): void;
}

/**
 * Limits the connections of a server on loopback. Of too many without the key, those of other users are closed, or the
 * oldest one: jobs in other slots must not keep an agent from its tools.
 * @param uid of the agent; undefined: others run as the same user
 */
export function limitConnections(server: Server, uid: number | undefined): LimitedConnections {
  const withoutKey = new Set<Socket>();
  server.maxConnections = 2 * MAX_CONNECTIONS;
  server.on('connection', (socket) => {
    withoutKey.add(socket);
    socket.once('close', () => withoutKey.delete(socket));
    if (withoutKey.size <= MAX_CONNECTIONS) return;
    const foreign = uid === undefined ? [] : foreignTo(uid, server, withoutKey);
    for (const surplus of foreign.length > 0 ? foreign : [...withoutKey].slice(0, 1)) {
      withoutKey.delete(surplus);
      surplus.destroy();
    }
  });
  return { onKey: (socket) => void withoutKey.delete(socket) };
}

/** The connections that processes of other users have made. @returns none where the platform does not list them */
function foreignTo(uid: number, server: Server, sockets: Iterable<Socket>): Socket[] {
  const owners = ownersByPort((server.address() as AddressInfo).port);
  if (owners.size === 0) return [];
  return [...sockets].filter(({ remotePort }) => owners.get(remotePort ?? 0) !== uid);
}

/** The users of the connections to a port of this machine, by the port at their end. */
function ownersByPort(port: number): Map<number, number> {
  const owners = new Map<number, number>();
  for (const line of ['tcp', 'tcp6'].flatMap(linesOf)) {
    const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
    if (portOf(remote) === port) owners.set(portOf(local), Number(uid));
  }
  return owners;
}

function linesOf(name: string): string[] {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** @param address `0100007F:1F90` */
function portOf(address: string): number {
  return Number.parseInt(address.split(':')[1] ?? '', 16);
}
