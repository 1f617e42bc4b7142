import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { listProcesses, processTable } from '../../../lib/platform/processes/process-table.ts';
import { endAccount, endTree, spawnTree, type Tree } from '../../../worker-container/commands/process-tree.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

const PATH = '/usr/bin:/bin';
/** Seconds after which each process of these tests exits if it is not ended before. */
const LIFE = 120;

describeAsRoot('processes under a service account', () => {
  const accounts = newAccounts(2);
  const [first, second] = accounts.slots as [ServiceAccount, ServiceAccount];
  afterEach(async () => {
    for (const account of accounts.slots) await endAccount(account);
  });

  const start = (account: ServiceAccount, script: string, program = 'bash'): Promise<Tree> =>
    spawnTree({
      ...{ command: program, args: [program === 'bash' ? '-c' : '-e', script] },
      ...{ env: { PATH, LIFE: String(LIFE) }, cwd: tmpdir(), stdin: '', mark: randomUUID(), account },
    });
  const end = (child: Tree, options: { kill?: boolean; graceMs?: number } = {}) =>
    endTree({ child, mark: 'nobody carries this', politeSignal: 'SIGTERM', ...options });
  const living = ({ uid }: ServiceAccount) =>
    listProcesses().filter(({ pid, zombie }) => !zombie && processTable().realUidOf(pid) === uid);

  test('have its user and group and nothing else, for good', async () => {
    const tree = await start(
      first,
      'id -u; id -G; umask; sort /proc/self/status; cat /dev/stdin; echo ended > /dev/stderr',
    );
    const [stdout, stderr] = await Promise.all([text(tree.stdout), text(tree.stderr)]);
    const [uid, groups, umask, ...status] = stdout.trim().split('\n');
    expect([uid, groups, umask, stderr]).toEqual([String(first.uid), String(first.gid), '0002', 'ended\n']);
    const none = '0000000000000000';
    const expected = {
      CapInh: none,
      CapPrm: none,
      CapEff: none,
      CapBnd: none,
      CapAmb: none,
      NoNewPrivs: '1',
      Groups: '',
    };
    const lines = Object.fromEntries(status.map((line) => line.split(':').map((part) => part.trim())));
    expect(lines).toMatchObject(expected);
  });

  test('get the polite signal first, and so do those that outlive them', async () => {
    const tree = await start(
      first,
      `trap 'echo agent asked; exit 3' TERM
       env -i setsid bash -c "trap 'echo orphan asked; exit' TERM; echo ready; while :; do sleep 0.05; done" &
       while :; do sleep 0.05; done`,
    );
    await once(tree.stdout, 'data');
    const said = text(tree.stdout);
    expect(await end(tree)).toBe(0);
    expect(await tree.exited).toEqual({ exitCode: 3, signal: null });
    expect(await said).toBe('agent asked\norphan asked\n');
  });

  test('are all found, though they left their session, their parent and their environment before the first scan', async () => {
    const tree = await start(first, '(env -i setsid setsid sleep $LIFE &) ; (setsid sleep $LIFE &); true');
    await tree.exited;
    // Until then each is another program, which may start one more process.
    const programs = () => living(first).map(({ pid }) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
    await expect.poll(programs).toEqual(['sleep', 'sleep']);
    expect(await end(tree, { kill: true })).toBe(2);
    expect(living(first)).toEqual([]);
  });

  // Such a process lives for the moment between two forks: a scan of the list hardly ever sees it. What it has inherited
  // does: its output ends when the last one has, and shows whether they ran to their end.
  const AT_END = `print "ran to its end\\n"`;
  test.each([
    ['that kills whom it can', `while (time < $end) { kill 'KILL', -1; exit if fork } ${AT_END}`],
    ['of twenty', `for (1 .. 20) { last unless fork } while (time < $end) { exit if fork } ${AT_END}`],
  ])('are all ended, though they are a chain %s that never pauses', async (_, hop) => {
    const tree = await start(first, `$end = time + $ENV{LIFE}; ${hop}`, '/usr/bin/perl');
    const said = text(tree.stdout);
    await tree.exited;
    await end(tree, { kill: true });
    expect(await said).toBe('');
    expect(living(first)).toEqual([]);
  });

  test("don't end with those of another slot, and can do nothing to them", async () => {
    const other = await start(second, 'echo ready; sleep $LIFE');
    await once(other.stdout, 'data');
    const tree = await start(first, `kill -0 ${other.pid} || kill -0 ${process.pid} || kill -KILL -1; true`);
    expect(await text(tree.stderr)).toMatch(/(.*Operation not permitted\n){2}/);
    await end(tree, { kill: true });
    expect(living(second).length).toBeGreaterThan(0);
    expect(other.stdout.readableEnded).toBe(false);
  });
});
