import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { killOrphans } from '../../../../lib/local/run/leftovers.ts';
import { RUN_MARK } from '../../../../lib/local/run/local-env.ts';

let home: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-leftovers-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

/** A shell that reports when it is ready. */
async function run(script: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn('bash', ['-c', `${script}`], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  children.push(child);
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

/** A process that is replaced by another (exec) shows no environment for a moment. */
const WAIT = 'echo here; kill -STOP $$';

/** An ended process that is not reaped yet is not alive. */
async function isAlive(pid: number): Promise<boolean> {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
  return !state.slice(state.lastIndexOf(')')).startsWith(') Z');
}

test('a process with the mark of the home ends, whatever it does about signals', async () => {
  const stubborn = await run('trap "" TERM INT HUP; echo here; while :; do sleep 600; done', { [RUN_MARK]: home });
  const ended = once(stubborn, 'exit');
  expect(await killOrphans(home)).toContain(stubborn.pid);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that it started in a new session ends too', async () => {
  const pidFile = join(home, 'pid');
  await run(`setsid bash -c 'echo $$ > ${pidFile}; echo here; kill -STOP $$' & wait`, { [RUN_MARK]: home });
  const grandchild = Number(await readFile(pidFile, 'utf8'));
  expect(await killOrphans(home)).toContain(grandchild);
  await expect.poll(async () => await isAlive(grandchild)).toBe(false);
});

test('processes with the mark of another home or without a mark keep running', async () => {
  const others = await Promise.all([
    run(WAIT, { [RUN_MARK]: `${home}-2` }),
    run(WAIT, { [RUN_MARK]: tmpdir() }),
    run(WAIT, { [`X_${RUN_MARK}`]: home }),
    run(WAIT, { OTHER: `${RUN_MARK}=${home}` }),
  ]);
  expect(await killOrphans(home)).toEqual([]);
  expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null, null, null]);
});

test('processes to be spared keep running', async () => {
  const spared = await run(WAIT, { [RUN_MARK]: home });
  const other = await run(WAIT, { [RUN_MARK]: home });
  expect(await killOrphans(home, [spared.pid ?? 0])).toEqual([other.pid]);
  expect(spared.signalCode).toBeNull();
});

test('the calling process and its ancestors keep running', async () => {
  const module = new URL('../../../../lib/local/run/leftovers.ts', import.meta.url).href;
  const program = `console.log(JSON.stringify(await (await import('${module}')).killOrphans('${home}')))`;
  // The shell between us and the program carries the mark too.
  const asking = spawn('bash', ['-c', `"$NODE" --input-type=module -e "$PROGRAM"; echo survived`], {
    env: { PATH: process.env.PATH ?? '', [RUN_MARK]: home, NODE: process.execPath, PROGRAM: program },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  asking.stdout.on('data', (chunk) => (printed += chunk));
  await once(asking, 'close');
  expect(printed).toBe('[]\nsurvived\n');
});
