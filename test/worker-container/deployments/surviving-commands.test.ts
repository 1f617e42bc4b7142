import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeAsRoot } from '../service-accounts/as-root.ts';

const PROGRAM = fileURLToPath(new URL('deploy-without-kill.ts', import.meta.url));
const run = promisify(execFile);

describeAsRoot("processes of a binding's command that the worker may not kill", () => {
  test('leave its result as it is, and are named in its log', async () => {
    // Without this right, root can't signal the processes of another user.
    const rights = ['--bounding-set=-kill', '--inh-caps=-all', '--'];
    const command = `setpriv --reuid=1234567 --clear-groups sleep 150 & echo "it is process $!"
      until [ "$(stat -c %u /proc/$!)" = 1234567 ]; do sleep 0.01; done; echo done`;
    const { stdout } = await run('setpriv', [...rights, process.execPath, PROGRAM, command]);
    const { state, error, log, survived } = JSON.parse(stdout) as Record<string, string>;
    const pid = Number(/it is process (\d+)/.exec(log ?? '')?.[1]);
    if (pid > 0) process.kill(pid, 'SIGKILL');
    expect({ state, error, survived }).toEqual({ state: 'succeeded', error: undefined, survived: 1 });
    expect(log).toContain(
      `\ndone\nprocesses: not ended, even by SIGKILL: ${pid}. They may still run, perhaps as another user.\n`,
    );
  });
});
