import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellOutput } from '../../lib/vendors/shell/shell-output.ts';
import { findBash } from '../commands/find-bash.ts';
import type { Agent } from './agent.ts';

/** No vendor at all: the prompt is a bash script. Its exit code is all that says how it went. */
export const shell: Agent = {
  ...shellOutput,
  name: 'shell',
  politeSignal: 'SIGTERM',
  // A file has no limit of its own.
  maxPromptLength: Number.MAX_SAFE_INTEGER,

  async prepare(run) {
    const command = await findBash(run.env.PATH ?? '');
    const script = join(run.attemptDir, 'script.sh');
    await writeFile(script, run.prompt, { mode: 0o700 });
    return { command, args: [script, ...run.args], env: run.env, stdin: '' };
  },
};
