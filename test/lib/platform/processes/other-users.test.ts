import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { describeAsRoot } from '../../../worker-container/service-accounts/as-root.ts';

describeAsRoot('processes of another user', () => {
  it('show their relations and their user, and no environment', async () => {
    const module = new URL('../../../../lib/platform/processes/proc-table.ts', import.meta.url).href;
    const program = `
      const { PROC_TABLE } = await import(${JSON.stringify(module)});
      process.setgroups([]);
      process.setgid(65534);
      process.setuid(65534);
      const pid = ${process.pid};
      const [known, uid] = [PROC_TABLE.read(pid)?.pid === pid, PROC_TABLE.realUidOf(pid)];
      console.log(JSON.stringify([known, uid, PROC_TABLE.environmentOf(pid, 'PATH') ?? 'none']));`;
    // The module is loaded before, since the other user may not be allowed to read it.
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env: {} });
    expect(JSON.parse(stdout)).toEqual([true, 0, 'none']);
  });
});
