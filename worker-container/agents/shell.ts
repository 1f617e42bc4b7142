import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shellOutput } from '../../lib/vendors/shell/shell-output.ts';
import { findBash } from '../commands/find-bash.ts';
import { interpreterOf, scriptText } from '../commands/script-text.ts';
import type { Agent } from './agent.ts';

/** No vendor: the prompt is a script, of bash unless it names another interpreter. Only its exit code tells how it ended. */
export const shell: Agent = {
  ...shellOutput,
  name: 'shell',
  politeSignal: 'SIGTERM',
  sessionFolder: undefined,
  takesTools: false,

  async prepare(run) {
    const path = run.env.PATH ?? '';
    // The kernel reads the first line only.
    const text = scriptText(run.prompt).replace(/^\s+(?=#!)/, '');
    const interpreter = await interpreterOf(text, path);
    const { command, args } = interpreter ?? { command: await findBash(path), args: [] };
    // Some interpreters choose by the ending of a name.
    const script = join(run.attemptDir, interpreter === undefined ? 'script.sh' : 'script');
    await writeFile(script, text, { mode: 0o700 });
    return { command, args: [...args, script, ...run.args], env: run.env, stdin: '', drive: { name: 'exec' } };
  },
};
