import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { afterEach, expect, test } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import {
  endMarkedLike,
  endTree,
  findMarked,
  spawnTree,
  survivorsOf,
  type Tree,
  type TreeCommand,
} from '../../../worker-container/commands/process-tree.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

const run = `test-${randomUUID()}`;
afterEach(() => endMarkedLike(run));
const newMark = () => `${run}/${randomUUID()}`;

async function bash(script: string, { mark = newMark(), ...more }: Partial<TreeCommand> = {}): Promise<Tree> {
  const env = { PATH: process.env.PATH ?? '' };
  const command = { command: 'bash', args: ['-c', script], env, cwd: tmpdir(), stdin: undefined, account: undefined };
  return await spawnTree({ ...command, mark, ...more });
}

test('processes that survive are named, and any other failure stays one', async () => {
  const mark = newMark();
  const tree = await bash('echo up; exec sleep 60', { mark });
  await once(tree.stdout, 'data');
  const how = { child: tree, mark, politeSignal: 'SIGTERM', kill: true } as const;
  expect(await survivorsOf(endTree({ ...how, killTimeoutMs: 0 }))).toEqual([tree.pid]);
  expect(await survivorsOf(endTree(how))).toEqual([]);
  await expect(survivorsOf(Promise.reject(new Error('the list of processes is gone')))).rejects.toThrow('is gone');
});

test('the processes of an attempt are ended in other sessions too, and those of other attempts are not', async () => {
  const [mine, other] = [newMark(), newMark()];
  const tree = await bash('setsid sleep 60 & echo up; exec sleep 60', { mark: mine });
  await once(tree.stdout, 'data');
  await once((await bash('echo up; exec sleep 60', { mark: other })).stdout, 'data');
  await expect.poll(() => findMarked(mine).length).toBe(2);
  expect(await endTree({ child: tree, mark: mine, politeSignal: 'SIGTERM', kill: true })).toBe(2);
  expect(findMarked(other)).toHaveLength(1);
});

test('what an agent has left to itself is asked to end once the agent has ended', async () => {
  const mark = newMark();
  const left = `trap 'echo left; exit' TERM; echo up; while :; do sleep 0.05; done`;
  const script = `trap 'sleep 0.3; echo agent; exit' INT; (setsid bash -c "$LEFT" &); while :; do sleep 0.05; done`;
  const tree = await bash(script, { mark, env: { PATH: process.env.PATH ?? '', LEFT: left } });
  const written: string[] = [];
  tree.stdout.on('data', (chunk: Buffer) => written.push(...chunk.toString().trim().split('\n')));
  await expect.poll(() => written).toEqual(['up']);
  expect(await endTree({ child: tree, mark, politeSignal: 'SIGINT' })).toBe(0);
  await expect.poll(() => written).toEqual(['up', 'agent', 'left']);
});

describeAsRoot('an account', () => {
  test('has all its processes ended, those without a trace of their attempt too', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    const mark = newMark();
    const tree = await bash('(env -i setsid sleep 60 & echo $!); exec sleep 60', { account, mark, cwd: '/' });
    const [pid] = (await once(tree.stdout, 'data')) as [Buffer];
    await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true });
    expect(processTable().read(Number(pid))?.zombie ?? true).toBe(true);
  });
});
