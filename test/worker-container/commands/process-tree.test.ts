import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { processTable } from '../../../lib/platform/processes/process-table.ts';
import {
  endMarkedLike,
  endTree,
  findMarked,
  spawnTree,
  type Tree,
} from '../../../worker-container/commands/process-tree.ts';
import { signalProcess } from '../../../worker-container/processes/process-scan.ts';

/** What all marks of this run begin with. */
const run = `test-${randomUUID()}`;
afterEach(() => endMarkedLike(run));

/** All of them run as this process's user. */
const account = undefined;
const PATH = process.env.PATH ?? '/usr/bin:/bin';

test('a process gets its input, its environment and its folder, and its exit is reported', async () => {
  const tree = await bash(newMark(), 'cat; env; pwd; exit 7', { stdin: 'the prompt\n', env: { PATH, ONLY: 'this' } });
  const output = (await text(tree.stdout)).split('\n');
  expect(output).toContain('the prompt');
  expect(output).toContain('ONLY=this');
  expect(output).toContain(tmpdir());
  expect(output.some((line) => line.startsWith('HOME='))).toBe(false);
  expect(await tree.exited).toEqual({ exitCode: 7, signal: null });
});

test.runIf(process.platform === 'linux')('a process is killed before the worker when memory is used up', async () => {
  const own = await readFile('/proc/self/oom_score_adj', 'utf8');
  const script =
    'for try in {1..500}; do grep -qx 500 /proc/$$/oom_score_adj && break; sleep 0.01; done; cat /proc/self/oom_score_adj';
  expect(await text((await bash(newMark(), script)).stdout)).toBe('500\n');
  expect(await readFile('/proc/self/oom_score_adj', 'utf8')).toBe(own);
});

test('a process need not read its input', async () => {
  const tree = await bash(newMark(), 'exec 0<&-; echo done', { stdin: 'x'.repeat(5_000_000) });
  expect(await text(tree.stdout)).toBe('done\n');
  expect(await tree.exited).toEqual({ exitCode: 0, signal: null });
});

test('a script can open its standard streams by name', async () => {
  const tree = await bash(newMark(), 'cat /dev/stdin > /dev/stderr; echo out > /dev/stdout', { stdin: 'the prompt' });
  expect(await Promise.all([text(tree.stdout), text(tree.stderr)])).toEqual(['out\n', 'the prompt']);
});

test('trees that start at once have separate streams, which have no names', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    const numbers = Array.from({ length: 20 }, (_, n) => `${n}\n`);
    const trees = await Promise.all(numbers.map((n) => bash(newMark(), 'cat; cat /dev/stdin >&2', { stdin: n })));
    expect(await Promise.all(trees.map(({ stdout }) => text(stdout)))).toEqual(numbers);
    expect(await Promise.all(trees.map(({ stderr }) => text(stderr)))).toEqual(numbers);
    expect(await readdir(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
});

test('output is complete, whatever its size', async () => {
  const tree = await bash(newMark(), 'head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2');
  const [stdout, stderr] = await Promise.all([text(tree.stdout), text(tree.stderr)]);
  expect([stdout.length, stderr.length]).toEqual([5_000_000, 5_000_000]);
});

test('a failed start names the program and the folder', async () => {
  const start = spawnTree({
    command: '/no/such/agent',
    args: [],
    env: {},
    cwd: tmpdir(),
    stdin: '',
    mark: newMark(),
    account,
  });
  await expect(start).rejects.toThrow(`can't start /no/such/agent in ${tmpdir()}`);
});

test('nothing is left of a tree that ignores the polite signal and hides its children in other sessions', async () => {
  const mark = newMark();
  const script = `
    trap '' TERM
    (setsid bash -c 'trap "" TERM; sleep 1000 & sleep 1001; sleep 1002' &)
    (setsid setsid sleep 1003 &)
    sleep 1004 &
    echo ready
    while :; do sleep 0.05; done`;
  const tree = await bash(mark, script);
  await once(tree.stdout, 'data');
  await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(6);
  const before = findMarked(mark);

  expect(await endTree({ child: tree, mark, politeSignal: 'SIGTERM', graceMs: 300 })).toBeGreaterThanOrEqual(4);
  expect(findMarked(mark)).toEqual([]);
  expect(before.filter(({ pid, startedAt }) => isAlive(pid, startedAt))).toEqual([]);
  expect(await tree.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
});

test.each(['SIGTERM', 'SIGINT'] as const)('an agent that ends upon %s is not killed', async (politeSignal) => {
  const mark = newMark();
  const handled = politeSignal.slice('SIG'.length);
  const tree = await bash(
    mark,
    `trap 'echo asked; sleep 0.3 && echo cleaned; exit 3' ${handled}; echo ready; while :; do sleep 0.05; done`,
  );
  await once(tree.stdout, 'data');
  const output = text(tree.stdout);
  expect(await endTree({ child: tree, mark, politeSignal })).toBe(0);
  expect(await tree.exited).toEqual({ exitCode: 3, signal: null });
  expect(await output).toBe('asked\ncleaned\n');
});

test('a process that outlives its agent gets SIGTERM before it is killed', async () => {
  const mark = newMark();
  const orphan = `trap 'echo orphan asked; sleep 0.3 && echo cleaned; exit' TERM; echo orphan ready; while :; do sleep 0.05; done`;
  const tree = await bash(mark, 'setsid bash -c "$ORPHAN" & exit 0', { env: { PATH, ORPHAN: orphan } });
  expect(await tree.exited).toEqual({ exitCode: 0, signal: null });
  await once(tree.stdout, 'data');
  const output = text(tree.stdout);
  expect(await endTree({ child: tree, mark, politeSignal: 'SIGINT' })).toBe(0);
  expect(findMarked(mark)).toEqual([]);
  expect(await output).toBe('orphan asked\ncleaned\n');
});

test('kill sends no polite signal', async () => {
  const mark = newMark();
  const tree = await bash(
    mark,
    `trap 'echo asked; exit' TERM; setsid sleep 1000 & echo ready; while :; do sleep 0.05; done`,
  );
  await once(tree.stdout, 'data');
  const output = text(tree.stdout);
  expect(await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true })).toBeGreaterThanOrEqual(2);
  expect(await tree.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
  expect(await output).toBe('');
  expect(findMarked(mark)).toEqual([]);
});

test('processes that dropped their environment are found through their parent, then through their session', async () => {
  const mark = newMark();
  const script = `
    trap 'exit 0' TERM
    env -i setsid sleep 1000 & other=$!
    env -i sleep 1001 & echo $other $!
    while :; do sleep 0.05; done`;
  const tree = await bash(mark, script);
  const [line] = await once(tree.stdout, 'data');
  const pids = String(line).trim().split(' ').map(Number);
  await expect.poll(() => findMarked(mark).some(({ pid }) => pids.includes(pid))).toBe(false);
  const hidden = pids.flatMap((pid) => processTable().read(pid) ?? []);
  expect(hidden).toHaveLength(2);
  await endTree({ child: tree, mark, politeSignal: 'SIGTERM', graceMs: 2_000 });
  expect(hidden.filter(({ pid, startedAt }) => isAlive(pid, startedAt))).toEqual([]);
});

test('a zombie counts as ended although its parent does not reap it', async () => {
  // It ends once its parent is no longer a shell, which would reap it.
  const child = 'while read -r name < /proc/$$/comm && [ "$name" = bash ]; do sleep 0.01; done';
  const tree = await bash(newMark(), `${child} & echo $!; exec sleep 1000`);
  const [pid] = await once(tree.stdout, 'data');
  await expect.poll(() => processTable().read(Number(String(pid)))?.zombie).toBe(true);
  expect(processTable().read(tree.pid)?.zombie).toBe(false);
});

test('a tree that keeps moving into new sessions is ended', async () => {
  const mark = newMark();
  // It stops after a while: else a test run that is killed would leave it behind forever.
  const hop = 'printf -v now "%(%s)T"; ((now < UNTIL)) || exit; sleep 0.005; setsid bash -c "$HOP" & exit';
  const UNTIL = String(Math.floor(Date.now() / 1000) + 60);
  const tree = await bash(mark, 'setsid bash -c "$HOP" & exit', { env: { PATH, HOP: hop, UNTIL } });
  await tree.exited;
  await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(1);
  await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true });
  expect(findMarked(mark)).toEqual([]);
});

test('a starting worker ends processes of an earlier one, and no others', async () => {
  const mine = [newMark('home-a/1'), newMark('home-a/2')];
  const other = newMark('home-b/1');
  for (const mark of [...mine, other]) await bash(mark, 'setsid sleep 1000 & sleep 1001');
  for (const mark of [...mine, other]) await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(3);
  expect(await endMarkedLike(`${run}/home-a/`)).toBe(6);
  expect(mine.flatMap(findMarked)).toEqual([]);
  expect(findMarked(other)).toHaveLength(3);
  await expect(endMarkedLike('')).rejects.toThrow(RangeError);
});

test('a worker that runs within an attempt never ends itself', async () => {
  const mark = newMark();
  const module = fileURLToPath(new URL('../../../worker-container/commands/process-tree.ts', import.meta.url));
  const program = `import { endMarkedLike } from ${JSON.stringify(module)};
    console.log('ended', await endMarkedLike(${JSON.stringify(mark)}));`;
  const env = { PATH, MARK: mark };
  const tree = await spawnTree({
    command: 'bash',
    args: [
      '-c',
      'setsid sleep 1000 & "$0" --input-type=module -e "$1"; echo the shell lives',
      process.execPath,
      program,
    ],
    env,
    cwd: tmpdir(),
    stdin: '',
    mark,
    account,
  });
  expect(await text(tree.stdout)).toBe('ended 1\nthe shell lives\n');
});

test('a reused process id is not signaled', async () => {
  const tree = await bash(newMark(), 'echo ready; exec sleep 1000');
  await once(tree.stdout, 'data');
  const entry = processTable().read(tree.pid);
  if (entry === undefined) throw new Error('the process is gone');
  signalProcess({ ...entry, startedAt: entry.startedAt - 1 }, 'SIGKILL');
  signalProcess(entry, 'SIGTERM');
  expect(await tree.exited).toEqual({ exitCode: null, signal: 'SIGTERM' });
});

function newMark(name: string = randomUUID()): string {
  return `${run}/${name}`;
}

function bash(
  mark: string,
  script: string,
  { stdin = '', env = { PATH } }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Tree> {
  return spawnTree({ command: 'bash', args: ['-c', script], env, cwd: tmpdir(), stdin, mark, account });
}

function isAlive(pid: number, startedAt: number | undefined): boolean {
  const entry = processTable().read(pid);
  return entry !== undefined && entry.startedAt === startedAt && !entry.zombie;
}
