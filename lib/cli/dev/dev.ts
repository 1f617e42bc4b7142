import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { CommandRun, Context } from '../base/context.ts';
import { CommandError } from '../base/errors.ts';
import { EXIT } from '../base/exit-codes.ts';
import { installedLocalRun, type LocalRun } from './installation.ts';

/** In a clone, the sources of the local run; undefined in the package. */
const SOURCE = import.meta.url.endsWith('.ts')
  ? fileURLToPath(new URL('../../../bin/local.ts', import.meta.url))
  : undefined;

interface DevOptions {
  readonly allow?: readonly string[];
  readonly port?: number;
  readonly home?: string;
  readonly config?: string;
  readonly messengers?: boolean;
}

/** Runs the service on this machine until Ctrl-C. Other commands find it while it runs. */
export const run: CommandRun<DevOptions> = async (
  context,
  _args,
  { allow = [], port, home, config, messengers = false },
) => {
  const { env } = context;
  await requireFreePort(String(port ?? (env.PORT || DEFAULT_PORT)));
  const { program, args } = await localRun(context);
  const given = [...allow.flatMap((folder) => ['--allow', folder]), ...(messengers ? ['--messengers'] : [])];
  const child = spawn(program, [...args, ...given], {
    env: {
      ...env,
      ...(port !== undefined && { PORT: String(port) }),
      ...(home !== undefined && { PROMPTQ_HOME: home }),
      ...(config !== undefined && { PROMPTQ_CONFIG: config }),
    },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  // It stops its parts before it exits. Ctrl-C on a terminal reaches it twice, which changes nothing.
  const forward = () => void child.kill('SIGTERM');
  const keep = context.onInterrupt(forward);
  process.once('SIGTERM', forward).once('SIGHUP', forward);
  const [code] = await once(child, 'exit');
  keep();
  return code === 0 ? EXIT.succeeded : EXIT.jobFailed;
};

const DEFAULT_PORT = 8787;

/** Before anything is installed. The service itself says which ports are none. @throws CommandError if it is taken */
async function requireFreePort(port: string): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return;
  const server = createServer().listen(Number(port), '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return;
    throw new CommandError(
      EXIT.jobFailed,
      `port ${port} is taken by another program; choose another one by --port, or --port 0 for any free one`,
    );
  } finally {
    server.close();
  }
}

async function localRun(context: Context): Promise<LocalRun> {
  return SOURCE === undefined ? await installedLocalRun(context) : { program: process.execPath, args: [SOURCE] };
}
