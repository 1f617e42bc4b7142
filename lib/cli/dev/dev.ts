import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CommandRun, Context } from '../base/context.ts';
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
}

/** Runs the service on this machine until Ctrl-C. Other commands find it while it runs. */
export const run: CommandRun<DevOptions> = async (context, _args, { allow = [], port, home, config }) => {
  const { env } = context;
  const { program, args } = await localRun(context);
  const child = spawn(program, [...args, ...allow.flatMap((folder) => ['--allow', folder])], {
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

async function localRun(context: Context): Promise<LocalRun> {
  return SOURCE === undefined ? await installedLocalRun(context) : { program: process.execPath, args: [SOURCE] };
}
