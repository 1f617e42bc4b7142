import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { endMarkedLike, spawnTree, type Tree } from '../../../worker-container/commands/process-tree.ts';
import { untilEnded } from '../../../worker-container/commands/until-ended.ts';

const mark = `test-${randomUUID()}`;
afterEach(() => endMarkedLike(mark));

async function bash(script: string): Promise<Tree> {
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
  const args = ['--norc', '-c', script];
  const about = { env, cwd: tmpdir(), stdin: '', mark, account: undefined };
  return await spawnTree({ command: '/bin/bash', args, ...about });
}

/** Tools that take a moment to close, and see whether the process of a tree has been ended by then. */
function toolsBeside(tree: Tree): { close(): Promise<void>; readonly endedBefore: boolean | undefined } {
  const seen: { endedBefore: boolean | undefined } = { endedBefore: undefined };
  return {
    async close() {
      seen.endedBefore = await Promise.race([tree.exited.then(() => true), delay(300, false)]);
    },
    get endedBefore() {
      return seen.endedBefore;
    },
  };
}

const AGENT = { politeSignal: 'SIGTERM' } as const;

test.for(['cancelled', 'killed', 'asked', 'stopping'] as const)(
  'the tools of an attempt are closed before its processes are ended (%s)',
  async (reason) => {
    const tree = await bash('echo up; while :; do sleep 0.05; done');
    await once(tree.stdout, 'data');
    const [ending, tools] = [new Ending(), toolsBeside(tree)];
    const ended = untilEnded(tree, { agent: AGENT, mark, ending, tools });
    ending.request(reason);
    expect(await ended).toMatchObject({ byItself: false, survivors: [] });
    expect(tools.endedBefore).toBe(false);
  },
);

test('an attempt that is killed gets no polite signal', async () => {
  const tree = await bash('echo up; exec sleep 60');
  await once(tree.stdout, 'data');
  const ending = new Ending();
  ending.request('killed');
  const { exit } = await untilEnded(tree, { agent: AGENT, mark, ending, tools: undefined });
  expect(exit).toEqual({ exitCode: null, signal: 'SIGKILL' });
});

test('an agent that survives has no exit, and one that has exited keeps its own', async () => {
  const tree = await bash('echo up; exec sleep 60');
  await once(tree.stdout, 'data');
  const ending = new Ending();
  ending.request('killed');
  const survived = await untilEnded(tree, { agent: AGENT, mark, ending, tools: undefined, killTimeoutMs: 0 });
  expect(survived).toEqual({ exit: { exitCode: null, signal: null }, byItself: false, survivors: [tree.pid] });
  await endMarkedLike(mark);
  const exited = await untilEnded(await bash('exit 3'), { agent: AGENT, mark, ending: new Ending(), tools: undefined });
  expect(exited).toEqual({ exit: { exitCode: 3, signal: null }, byItself: true, survivors: [] });
});
