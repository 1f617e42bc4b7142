import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import {
  endAccount,
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

test('a process is known by its number and its start, so that another one with its number is not taken for it', async () => {
  const tree = await bash('echo up; sleep 60');
  expect(tree.startedAt).toBeDefined();
  expect(tree.startedAt).toBe(processTable().read(tree.pid)?.startedAt);
});

test('a failed start says why, and leaves no pipe open', async () => {
  const closed = vi.spyOn(Socket.prototype, 'destroy');
  onTestFinished(() => closed.mockRestore());
  const start = bash('true', { command: '/no/such/agent' });
  await expect(start).rejects.toThrow(`can't start /no/such/agent in ${tmpdir()}: spawn /no/such/agent ENOENT`);
  expect(new Set(closed.mock.contexts).size).toBe(3);
});

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

test('this process does other things while it waits for an agent that is to end', async () => {
  const mark = newMark();
  const tree = await bash("trap 'sleep 0.3; exit' TERM; echo up; while :; do sleep 0.05; done", { mark });
  await once(tree.stdout, 'data');
  let turns = 0;
  const turn = setInterval(() => {
    turns += 1;
  }, 5);
  await endTree({ child: tree, mark, politeSignal: 'SIGTERM' });
  clearInterval(turn);
  expect(turns).toBeGreaterThan(1);
});

/** Acts as on a platform that cannot list processes. */
async function withoutProcessTable(act: () => Promise<unknown>): Promise<void> {
  const { existsSync } = fs;
  vi.stubEnv('PROMPTQ_PLATFORM', 'win32-x64');
  fs.existsSync = () => false;
  syncBuiltinESMExports();
  try {
    await expect(act()).rejects.toThrow('promptq runs agents on Linux');
  } finally {
    fs.existsSync = existsSync;
    syncBuiltinESMExports();
    vi.unstubAllEnvs();
  }
}

test('a platform without a list of processes runs no agent, and ends none', async () => {
  await withoutProcessTable(async () => await bash('true'));
  await withoutProcessTable(async () => await endMarkedLike(run));
});

describeAsRoot('an account', () => {
  test('is not ended on a platform without a list of processes', async () => {
    // A real one: the call that ends an account would reach other processes with any other numbers.
    const account = newAccounts(1).slots[0] as ServiceAccount;
    await withoutProcessTable(async () => await endAccount(account));
  });

  test('has all its processes ended, those without a trace of their attempt too', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    const mark = newMark();
    const tree = await bash('(env -i setsid sleep 60 & echo $!); exec sleep 60', { account, mark, cwd: '/' });
    const [pid] = (await once(tree.stdout, 'data')) as [Buffer];
    await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true });
    expect(processTable().read(Number(pid))?.zombie ?? true).toBe(true);
  });

  test('is ended with one call although no process of it is listed', async () => {
    const account = newAccounts(1).slots[0] as ServiceAccount;
    let started = 0;
    const onProcess = () => {
      started += 1;
    };
    subscribe('child_process', onProcess);
    expect(await endAccount(account)).toBe(0);
    unsubscribe('child_process', onProcess);
    expect(started).toBe(1);
  });
});
