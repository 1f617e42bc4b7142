import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeAsRoot } from '../../../worker-container/service-accounts/as-root.ts';

const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups'];

describeAsRoot('processes of another user', () => {
  it('show their relations and their user, and no environment', async () => {
    const module = new URL('../../../../lib/platform/processes/proc-table.ts', import.meta.url).href;
    const program = `
      const { PROC_TABLE } = await import(${JSON.stringify(module)});
      const pid = ${process.pid};
      const [known, uid] = [PROC_TABLE.read(pid)?.pid === pid, PROC_TABLE.realUidOf(pid)];
      console.log(JSON.stringify([known, uid, PROC_TABLE.environmentOf(pid, 'PATH') ?? 'none']));`;
    const args = [...NOBODY, process.execPath, '--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)('setpriv', args, { env: {} });
    expect(JSON.parse(stdout)).toEqual([true, 0, 'none']);
  });
});
