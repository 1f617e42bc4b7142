import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import { abandonAgent, startAgent } from '../../../worker-container/attempt/start-agent.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { endMarkedLike, findMarked, spawnTree } from '../../../worker-container/commands/process-tree.ts';
import { OutputShipper } from '../../../worker-container/output/output-shipper.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { aRunningJob } from '../../lib/jobs/a-job.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { virtualTiming } from '../output/virtual-timing.ts';

let folder: string;
let mark: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-start-'));
  mark = `start-test/${randomUUID()}`;
  onTestFinished(async () => {
    await endMarkedLike(mark);
    await rm(folder, { recursive: true, force: true });
  });
});

const JOB = aRunningJob({ agent: 'codex', messages: 2 });

/** Starts a script as an agent that keeps a session, opens it when it prints `open`, and is done when it prints `done`. */
async function start(script: string, { drive = {} as object, most = 1_000, deployment = quietDeployment() } = {}) {
  const timing = virtualTiming();
  const calls: string[] = [];
  let read = '';
  const facts = (): AgentFacts => ({
    finished: read.includes('done'),
    ...(read.includes('open') && { sessionId: 's' }),
  });
  const push = (chunk: Buffer) => {
    read += chunk.toString();
  };
  const agent = {
    ...{ name: 'codex', politeSignal: 'SIGTERM', sessionFolder: 'sessions' },
    createReader: () => ({ push, end: () => undefined, facts }),
  };
  const note = (what: string) => () => void calls.push(what);
  const clocks = {
    onStart: (name: string) => void calls.push(`start of ${name}`),
    ...{ onOutput: note('output'), onFinished: note('finished'), onUnfinished: note('unfinished') },
  };
  const env = { PATH: process.env.PATH ?? '' };
  const command = { command: 'bash', args: ['-c', script], env, stdin: '', drive: { name: 'exec', ...drive } };
  const tools = { close: async () => void calls.push('tools closed') };
  const prepared = { agent, command, cwd: folder, messages: ['msg_1'], tools, profile: {}, origin: {} };
  const at = { clocks, ending: new Ending(), mark, watched: new EventTarget(), seen: new Set<string>() };
  const files = { agent: join(folder, 'agent') };
  const context = {
    ...{ ...deployment, timing, workerId: 'worker-1', log: new Logger({ logLevel: 'SILENT' }) },
    env: { ...ENV, PROMPTQ_OUTPUT_BYTES: most },
  };
  const running = await startAgent(
    context as never,
    JOB,
    prepared as never,
    {
      ...{ ...at, files, attemptDir: folder, redaction: new Redaction() },
    } as never,
  );
  onTestFinished(async () => {
    await abandonAgent(context as never, prepared as never, mark, running);
  });
  return { ...at, calls, running, timing, deployment, read: () => read };
}

it('what an agent writes is read, and counted by the clocks, from its start to its end', async () => {
  const { calls, running, read, timing } = await start(
    'echo oops >&2; echo working; read -r -t 0.2 line <> <(:); echo done',
  );
  expect(calls[0]).toBe('start of codex');
  await running.shipper.ended;
  expect([read(), running.stderrTail()]).toEqual(['working\ndone\n', 'oops\n']);
  const clocked = calls.slice(1).filter((call, at, all) => call !== all[at - 2]);
  expect(clocked).toEqual(['output', 'unfinished', 'finished']);
  // The session is saved a while after something was written.
  expect(timing.scheduled()).toBe(1);
  expect(running.outputFault()).toBeUndefined();
});

it('messages in the prompt count as seen once the session has the prompt', async () => {
  const begun = await start('echo working');
  await begun.running.shipper.ended;
  expect([...begun.seen]).toEqual([]);
  const open = await start('echo open');
  await open.running.shipper.ended;
  expect([...open.seen]).toEqual(['msg_1']);
});

it('an agent that writes more than is kept is ended', async () => {
  const { running, ending } = await start('echo more than ten bytes; sleep 60', { most: 10 });
  expect(await ending.requested).toBe('output_limit');
  expect(running.outputFault()).toBe('output_limit');
});

it('an agent whose output cannot be kept is ended', async () => {
  await mkdir(join(folder, 'output'));
  await symlink('/dev/full', join(folder, 'output', 'stdout'));
  const { running, ending } = await start('echo hi; sleep 60');
  expect(await ending.requested).toBe('output_failed');
  expect(running.outputFault()).toBe('output_failed');
});

it('an agent whose output has no place is ended before its start is given up', async () => {
  await writeFile(join(folder, 'output'), '');
  await expect(start('sleep 60')).rejects.toThrow('EEXIST');
  expect(findMarked(mark)).toEqual([]);
});

it('the output of an agent is shipped sooner while someone reads along', async () => {
  const shipped = vi.spyOn(OutputShipper.prototype, 'setWatched');
  onTestFinished(() => shipped.mockRestore());
  const { watched } = await start('sleep 60');
  watched.dispatchEvent(new Event('watched'));
  watched.dispatchEvent(new Event('unwatched'));
  expect(shipped.mock.calls).toEqual([[true], [false]]);
});

it('an agent that takes messages gets those that are there at its start, and later ones', async () => {
  const said: string[] = [];
  const say = ({ id }: { id: string }) => said.push(id) > 0;
  const talk = () => ({ begin: () => undefined, push: () => undefined, say });
  const deployment = quietDeployment();
  const about = { created_at: '2026-11-20T10:00:00.000Z', created_by: 'token:x', state: 'pending' } as const;
  const create = async (number: number) => {
    const message = { id: `msg_${number}`, number, text: 'And the door.', ...about };
    await deployment.table.send(new PutCommand(deployment.texts.messages.creation(JOB.id, message)));
  };
  await create(2);
  const { watched } = await start('cat', { drive: { name: 'stream', talk }, deployment });
  await expect.poll(() => said, { interval: 5 }).toEqual(['msg_2']);
  await create(3);
  watched.dispatchEvent(new Event('messages'));
  await expect.poll(() => said, { interval: 5 }).toEqual(['msg_2', 'msg_3']);
});

/** What ends when a script is abandoned. */
async function abandoned(
  script: string,
  {
    withShipper = false,
    prints = false,
    killTimeoutMs,
  }: { withShipper?: boolean; prints?: boolean; killTimeoutMs?: number } = {},
) {
  const env = { PATH: process.env.PATH ?? '' };
  const command = { command: 'bash', args: ['-c', script], env, cwd: folder };
  const tree = await spawnTree({ ...command, stdin: undefined, mark, account: undefined });
  if (prints) await Promise.all([tree.stdout, tree.stderr].map((pipe) => once(pipe, 'readable')));
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const parts = { session: { dispose: note('session') }, ...(withShipper && { shipper: { dispose: note('output') } }) };
  const context = {
    log: { error: (text: string) => void done.push(text) },
    onSurvivors: note('survivors'),
    killTimeoutMs,
  };
  const agent = { politeSignal: 'SIGTERM' };
  await abandonAgent(context as never, { agent, tools: { close: note('tools') } } as never, mark, {
    ...{ tree, ...parts },
  } as never);
  return { tree, done };
}

it('nothing is left of an agent that is abandoned', async () => {
  const { tree, done } = await abandoned('echo unread; echo unread >&2; trap "" TERM; sleep 60', { prints: true });
  expect(findMarked(mark)).toEqual([]);
  expect(done).toEqual(['tools', 'session']);
  expect([tree.stdin?.destroyed, tree.stdout.destroyed, tree.stderr.destroyed]).toEqual([true, true, true]);
});

it('the output of an agent that is abandoned is deleted by what stores it', async () => {
  const { tree, done } = await abandoned('sleep 60', { withShipper: true });
  expect(done).toEqual(['tools', 'session', 'output']);
  for (const pipe of [tree.stdout, tree.stderr]) pipe.destroy();
});

it('processes of an agent that is abandoned are logged and counted if they survive', async () => {
  const { tree, done } = await abandoned('sleep 60', { killTimeoutMs: 0 });
  const text = `processes of an abandoned agent: not ended, even by SIGKILL: ${tree.pid}. They may still run, perhaps`;
  expect(done).toEqual(['tools', `${text} as another user.`, 'survivors', 'session']);
});

it('an agent that never started has only its tools to close', async () => {
  const done: string[] = [];
  const tools = { close: async () => void done.push('tools') };
  const log = { error: () => expect.unreachable() };
  await abandonAgent({ log } as never, { agent: { politeSignal: 'SIGTERM' }, tools } as never, mark, {});
  expect(done).toEqual(['tools']);
});
