import { stat } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { shell } from '../../../worker-container/agents/shell.ts';
import { makeAttempt, runAgent, startAgent } from './run-agent.ts';

test('a script runs in cwd with an empty stdin and its exit code', async () => {
  const run = await startAgent(shell, { prompt: 'pwd\ncat\necho "grüße \'😀\'"\nprintf err >&2\nexit 7\n' });
  const end = await run.ended;
  expect(end).toMatchObject({ exitCode: 7, stdout: `${run.attempt.cwd}\ngrüße '😀'\n`, stderr: 'err' });
  expect(end.facts).toEqual({ finished: false });
});

test('the script is in the attempt folder, for its owner alone', async () => {
  const attempt = await makeAttempt({ prompt: 'true' });
  const { command, args } = await shell.prepare(attempt);
  expect(args).toEqual([join(attempt.attemptDir, 'script.sh')]);
  expect(isAbsolute(command)).toBe(true);
  expect((await stat(args[0] ?? '')).mode & 0o777).toBe(0o700);
});

test('arguments of the profile are the parameters of the script', async () => {
  const end = await runAgent(shell, { prompt: 'printf "%s|" "$@"', args: ['a b', '$c'] });
  expect(end.stdout).toBe('a b|$c|');
});

test('the polite signal reaches the script', async () => {
  const run = await startAgent(shell, {
    prompt: 'trap "echo asked; exit 3" TERM\necho up\nwhile :; do sleep 0.05; done',
  });
  run.child.stdout.once('data', () => run.child.kill(shell.politeSignal));
  expect(await run.ended).toMatchObject({ exitCode: 3, stdout: 'up\nasked\n' });
});

test('a PATH without bash in an absolute folder is rejected with a reason', async () => {
  const relativeBin = relative(process.cwd(), '/bin');
  const attempt = await makeAttempt({ prompt: 'true', env: { PATH: `/no/such/folder:${relativeBin}` } });
  await expect(shell.prepare(attempt)).rejects.toThrow("there is no bash in the worker's PATH: /no/such/folder:..");
});
