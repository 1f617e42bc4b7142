import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellOutput } from '../../lib/vendors/shell/shell-output.ts';
import { findBash } from '../commands/find-bash.ts';
import type { Agent } from './agent.ts';

/** No vendor: the prompt is a bash script. Only its exit code tells how it ended. */
export const shell: Agent = {
  ...shellOutput,
  name: 'shell',
  politeSignal: 'SIGTERM',
  sessionFolder: undefined,
  takesTools: false,

  async prepare(run) {
    const command = await findBash(run.env.PATH ?? '');
    const script = join(run.attemptDir, 'script.sh');
    await writeFile(script, run.prompt, { mode: 0o700 });
    return { command, args: [script, ...run.args], env: run.env, stdin: '', drive: { name: 'exec' } };
  },
};
