import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLinux } from '../../platform/platform-name.ts';
import type { Home, LocalInfo } from './home.ts';

/** Another service runs on the home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
  /** Undefined while that service is starting or stopping. */
  readonly holder: LocalInfo | undefined;

  constructor(home: Home, holder: LocalInfo | undefined) {
    const who =
      holder === undefined ? 'is starting or stopping just now' : `is process ${holder.pid} at ${holder.base_url}`;
    super(`another local run holds ${home.path}: it ${who}. Stop it first, or set PROMPTQ_HOME to another folder`);
    this.holder = holder;
  }
}

/**
 * Locks a home for this process until `release` or the process's exit, even a crash.
 * @throws HomeInUseError
 */
export async function lockHome(home: Home): Promise<{ release(): Promise<void> }> {
  const name = `promptq-${createHash('sha256').update(home.path).digest('hex').slice(0, 32)}`;
  // The kernel frees an abstract socket (Linux) even after `kill -9`; a file would first have to be recognised as
  // stale.
  const isAbstract = isLinux();
  const path = isAbstract ? `\0${name}` : join(tmpdir(), `${name}.sock`);
  const server = await listen(path).catch(async (error: unknown) => {
    if (!isInUse(error)) throw error;
    if (isAbstract || (await isAlive(path))) throw new HomeInUseError(home, await home.readInfo());
    await rm(path, { force: true });
    return await listen(path);
  });
  server.unref();
  return {
    release: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ path });
  await once(server, 'listening');
  return server;
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

async function isAlive(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
