import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Twice as many as are used at once: a broken connection is not replaced. */
const CONNECTIONS = 128;
const POLL_INTERVAL_MS = 5;

/**
 * Opens all the connections that a server will ever accept, then closes it to others: with a descriptor limit of zero,
 * a process keeps its connections and accepts no others.
 * @returns a function that hands out one of the connections at a time
 * @throws Error if another process took a connection first; the server must then be ended
 */
export async function openConnections(options: {
  readonly pid: number;
  readonly port: number;
  readonly connectNow: () => Promise<Socket>;
}): Promise<() => Promise<Socket>> {
  const { pid, port, connectNow } = options;
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, connectNow));
  const own = new Set(sockets.map(({ localPort }) => localPort));
  while ((await peersOf(pid, port)).filter((peer) => own.has(peer)).length < CONNECTIONS) await delay(POLL_INTERVAL_MS);
  await promisify(execFile)('prlimit', [`--pid=${pid}`, '--nofile=0:0']);
  if ((await peersOf(pid, port)).some((peer) => !own.has(peer)))
    throw new Error('another process has connected to the DynamoDB emulator while it started');
  return async () => {
    const socket = sockets.pop();
    // The parent sees this process exit, and starts another with new connections.
    if (socket === undefined) process.exit(1);
    return socket;
  };
}

/** The remote ports of the connections that a process has accepted on a loopback port. */
async function peersOf(pid: number, port: number): Promise<number[]> {
  const names = await readdir(`/proc/${pid}/fd`);
  const links = await Promise.all(names.map(async (name) => await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  const inodes = new Set(
    links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]).filter((inode) => inode !== undefined),
  );
  const lines = (await readFile(`/proc/${pid}/net/tcp`, 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines
    .filter(
      ([, local, , state, , , , , , inode]) => inodes.has(inode ?? '') && portOf(local) === port && state !== LISTEN,
    )
    .map(([, , remote]) => portOf(remote));
}

/** The state LISTEN in /proc/net/tcp. */
const LISTEN = '0A';

function portOf(place: string | undefined): number {
  return Number.parseInt(place?.split(':')[1] ?? '', 16);
}
