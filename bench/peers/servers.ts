import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { glob, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endProcess, findProgram } from '../../lib/local/run/child-process.ts';

const run = promisify(execFile);

/** A server for the time of a benchmark. */
export interface PeerServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Milliseconds that a server may take to start, and to end. */
const START_LIMIT_MS = 30_000;
const GRACE_MS = 5_000;

/** A Redis of its own on a loopback port, in memory. undefined: there is no redis-server. */
export async function startRedis(): Promise<PeerServer | undefined> {
  const program = await findProgram('redis-server');
  if (program === undefined) return undefined;
  const port = await freePort();
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  const child = spawn(...(await endingWithUs(program, settings)), { stdio: 'ignore' });
  await answering(async () => await run(program.replace('-server', '-cli'), ['-p', String(port), 'ping']));
  return { url: `redis://127.0.0.1:${port}`, stop: () => endProcess(child, GRACE_MS) };
}

/** Where distributions put PostgreSQL's programs. */
const POSTGRES_FOLDERS = '/usr/lib/postgresql/*/bin/initdb';
/** PostgreSQL does not run as root. */
const UNPRIVILEGED = 'nobody';

/** A PostgreSQL of its own on a loopback port, with its default durability. undefined: there is no initdb. */
export async function startPostgres(): Promise<PeerServer | undefined> {
  const found = (await findProgram('initdb')) ?? (await Array.fromAsync(glob(POSTGRES_FOLDERS))).at(-1);
  if (found === undefined) return undefined;
  // Its neighbours may have no link in PATH.
  const program = async (name: string) => join(dirname(await realpath(found)), name);
  const isRoot = process.getuid?.() === 0;
  const folder = await mkdtemp(join(tmpdir(), 'promptq-postgres-'));
  if (isRoot) await run('chown', [UNPRIVILEGED, folder]);
  const as = (file: string, args: string[]): [string, string[]] =>
    isRoot
      ? ['setpriv', [`--reuid=${UNPRIVILEGED}`, '--clear-groups', '--pdeathsig', 'INT', file, ...args]]
      : [file, args];
  const data = join(folder, 'data');
  await run(...as(await program('initdb'), ['--auth=trust', '--username=bench', '--no-sync', '-D', data]));
  const port = await freePort();
  const options = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', folder];
  const child: ChildProcess = spawn(...as(await program('postgres'), options), { stdio: 'ignore' });
  const url = `postgres://bench@127.0.0.1:${port}/postgres`;
  await answering(async () => await run(await program('pg_isready'), ['-d', url]));
  return {
    url,
    stop: async () => {
      // SIGINT: disconnects clients and ends.
      child.kill('SIGINT');
      await endProcess(child, GRACE_MS);
      await rm(folder, { recursive: true });
    },
  };
}

/** Where setpriv exists, a benchmark that is killed leaves no server behind. */
async function endingWithUs(program: string, args: string[]): Promise<[string, string[]]> {
  const setpriv = await findProgram('setpriv');
  return setpriv === undefined ? [program, args] : [setpriv, ['--pdeathsig', 'TERM', program, ...args]];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was assigned');
  return address.port;
}

/** @throws Error if it does not answer in time */
async function answering(ask: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  for (;;) {
    const answered = await ask().then(
      () => true,
      () => false,
    );
    if (answered) return;
    if (performance.now() > end) throw new Error(`a server did not start within ${START_LIMIT_MS / 1000} s`);
    await delay(100);
  }
}
