import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { Ending } from '../../../worker-container/commands/ending.ts';
import { type PreparingCommand, runPreparing } from '../../../worker-container/commands/preparing-process.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

let marks = 0;

/** Runs a script of bash. @returns its end, and what it wrote */
async function run(script: string, options: Partial<PreparingCommand> = {}) {
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  marks += 1;
  const exit = await runPreparing({
    ...{ command: 'bash', args: ['-c', script], env: { PATH: process.env.PATH ?? '' }, cwd: tmpdir() },
    ...{ mark: `preparing-test-${process.pid}-${marks}`, account: undefined, ending: undefined, limit: 60_000 },
    redaction: new Redaction(['hunter2-secret']),
    onStdout: (chunk) => void stdout.push(chunk),
    onStderr: (chunk) => void stderr.push(chunk),
    ...options,
  });
  return { ...exit, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

it('both outputs are given as they are, and the end of stderr is kept, masked', async () => {
  expect(await run('echo out hunter2-secret; echo error hunter2-secret >&2; exit 3')).toEqual({
    ...{ exitCode: 3, signal: null, survivors: [] },
    ...{ stdout: 'out hunter2-secret\n', stderr: 'error hunter2-secret\n', stderrTail: 'error ***\n' },
  });
  expect(await run('kill -TERM $$')).toMatchObject({ exitCode: null, signal: 'SIGTERM', stderrTail: '' });
});

it('the last 2,000 bytes of stderr are kept, and no part of a secret at their beginning', async () => {
  const { stderrTail } = await run('printf "hunter2-secret%01995d" 7 >&2');
  expect(stderrTail).toBe(`***${'0'.repeat(1_994)}7`);
  expect((await run('printf "a%02000d" 7 >&2')).stderrTail).toBe(`${'0'.repeat(1_999)}7`);
});

it('what a process leaves behind is ended with it', async () => {
  const { stdout, survivors } = await run('sleep 300 >/dev/null 2>&1 & echo $!');
  expect(survivors).toEqual([]);
  // Its parent may not have noted its end yet.
  const state = await readFile(`/proc/${stdout.trim()}/stat`, 'utf8').catch(() => 'gone');
  expect(state).toMatch(/^gone$|\) Z /);
});

it('a process that takes longer than its limit is ended', async () => {
  await expect(run('sleep 300', { limit: 100 })).rejects.toThrow('it took longer than 0.1 seconds');
});

it('an attempt that is asked to end ends what prepares it, and starts nothing more', async () => {
  const ending = new Ending();
  const running = run('echo begun; sleep 300', { ending, onStdout: () => ending.request('cancelled') });
  await expect(running).rejects.toMatchObject({ name: 'CancelledBeforeStartError' });
  let hasRun = false;
  const onStdout = () => {
    hasRun = true;
  };
  await expect(run('echo begun', { ending, onStdout })).rejects.toMatchObject({ name: 'CancelledBeforeStartError' });
  expect(hasRun).toBe(false);
});

it('what a process writes that escaped is waited for, for a while', async () => {
  const script = 'env -i setsid bash -c "sleep 0.3; echo late; echo late >&2" & exit 0';
  expect(await run(script)).toMatchObject({ stdout: 'late\n', stderr: 'late\n', stderrTail: 'late\n' });
});

it('processes that survive are named and counted', async () => {
  let counted = 0;
  const onSurvivors = () => {
    counted += 1;
  };
  const script = 'sleep 300 >/dev/null 2>&1 & echo $!';
  const { stdout, survivors } = await run(script, { onSurvivors, killTimeoutMs: 0 });
  for (const pid of survivors) process.kill(pid, 'SIGKILL');
  expect([survivors, counted]).toEqual([[Number(stdout)], 1]);
  await run('true', { onSurvivors });
  expect(counted).toBe(1);
});
