import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import { describeAsRoot } from '../service-accounts/as-root.ts';

const program = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);
// Without this right, root can't signal the processes of another user.
const RIGHTS = ['--bounding-set=-kill', '--inh-caps=-all', '--'];

describeAsRoot('processes that the worker may not kill', () => {
  test('leave the outcome and the output of their attempt as they are, with a warning', async () => {
    const script = `setpriv --reuid=1234567 --clear-groups sleep 60 & echo "it is process $!"
      until [ "$(stat -c %u /proc/$!)" = 1234567 ]; do sleep 0.01; done; echo done`;
    const { stdout } = await run('setpriv', [...RIGHTS, process.execPath, program('attempt-without-kill.ts'), script]);
    const { status, receipt, survived } = JSON.parse(stdout) as { status: string; receipt: Receipt; survived: number };
    const [warning = '', ...others] = receipt.warnings ?? [];
    const pid = Number(/\d+/.exec(warning)?.[0]);
    if (pid > 0) process.kill(pid, 'SIGKILL');
    expect(others).toEqual([]);
    expect(warning).toBe(`processes: not ended, even by SIGKILL: ${pid}. They may still run, perhaps as another user.`);
    expect(receipt).toMatchObject({
      outcome: { kind: 'succeeded', reason: 'exited', exit_code: 0 },
      streams: { stdout: { bytes: `it is process ${pid}\ndone\n`.length, complete: true } },
    });
    expect([status, survived]).toEqual(['SUCCEEDED', 1]);
  });
});
