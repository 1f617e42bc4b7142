import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
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

const AGENT = { politeSignal: 'SIGTERM' } as const;

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
