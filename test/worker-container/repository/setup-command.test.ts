import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { runSetup } from '../../../worker-container/repository/setup-command.ts';
import { readRecord } from '../../../worker-container/repository/worktree-record.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { ENV } from '../../simulation/model/environment.ts';
import { describeOnSmallDisk, mountSmallDisk } from '../../stand-ins/small-disk.ts';
import { describeAsRoot } from '../service-accounts/as-root.ts';

let folder: string;
let record: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-setup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'worktree'));
  record = join(folder, 'record.json');
  await writeFile(record, JSON.stringify({ base: 'HEAD', isReady: true }));
});

const setUp = (command: string, setupLog: string) =>
  runSetup(
    {
      ...{ env: ENV as never, mark: randomUUID(), attemptDir: folder },
      ...{ ending: undefined, account: undefined, redaction: new Redaction(['hunter2-secret']) },
    },
    { agentEnv: { PATH: '/usr/bin:/bin' }, setupLog },
    { path: join(folder, 'worktree'), clone: '', record, base: 'HEAD', warnings: [] },
    command,
  );

test('the masked output of a setup command is stored, and it runs once', async () => {
  const log = join(folder, 'setup.log');
  expect(await setUp('echo hunter2-secret', log)).toEqual([]);
  expect(await setUp('echo hunter2-secret', join(folder, 'second.log'))).toEqual([]);
  expect(await readFile(log, 'utf8')).toBe('***\n');
  await expect(readFile(join(folder, 'second.log'))).rejects.toThrow('ENOENT');
});

test('the beginning and the end of a long output are stored', async () => {
  const log = join(folder, 'setup.log');
  await expect(setUp('seq 300000; echo "no space"; exit 3', log)).rejects.toThrow(/exit code 3\. no space$/);
  const text = await readFile(log, 'utf8');
  expect(text).toMatch(/^1\n2\n3\n/);
  expect(text).toMatch(/\n\[940328 bytes are left out here\]\n[\d\n]+\n299999\n300000\nno space\n$/);
  expect(text.length).toBeLessThan(1024 * 1024 + 100);
});

test.each([
  ['echo out; exit 3', '3. out'],
  ['echo out; echo why >&2; exit 3', '3. why (stdout ends with: out)'],
  ["printf 'reason\\r\\n\\r\\n'; exit 3", '3. reason'],
  ["printf '\\r10%%\\r\\033[31mfailed\\033[0m\\r' >&2; exit 3", '3. failed'],
  ['\ufeffcd .\r\necho wrong\r\nexit 3\r\n', '3. wrong'],
  ['echo first; (exit 4); echo second', '4. first'],
  ['(echo piped >&2; exit 5) | cat; echo second', '5. piped'],
])('a setup command fails for its own reason: %j', async (command, message) => {
  const run = setUp(command, join(folder, 'setup.log'));
  await expect(run).rejects.toThrow(new Error(`the setup command failed: exit code ${message}`));
});

describeOnSmallDisk('a setup command whose log is on a full disk', () => {
  const fullDisk = (): string => {
    const disk = mountSmallDisk(1);
    onTestFinished(() => disk.remove());
    disk.fill();
    return join(disk.folder, 'setup.log');
  };

  test('has run, with a warning', async () => {
    expect(await setUp('seq 100000; touch done', fullDisk())).toEqual([
      'repository: not all output of the setup command was stored: ENOSPC: no space left on device, write',
    ]);
    expect(await readRecord(record)).toMatchObject({ setup: 'seq 100000; touch done' });
  });

  test('fails for its own reason', async () => {
    await expect(setUp('seq 100000; echo why >&2; exit 3', fullDisk())).rejects.toThrow(
      'the setup command failed: exit code 3. why',
    );
  });
});

const PROGRAM = fileURLToPath(new URL('set-up-without-kill.ts', import.meta.url));

describeAsRoot('a process of a setup command that the worker may not kill', () => {
  test('is a warning: the command has run', async () => {
    // Without this right, root can't signal the processes of another user.
    const rights = ['--bounding-set=-kill', '--inh-caps=-all', '--'];
    const script = `setpriv --reuid=1234567 --clear-groups sleep 150 &
      until [ "$(stat -c %u /proc/$!)" = 1234567 ]; do sleep 0.01; done`;
    const { stdout } = await promisify(execFile)('setpriv', [...rights, process.execPath, PROGRAM, script]);
    const { warnings, ...others } = JSON.parse(stdout) as { warnings: string[] };
    const pid = Number(/\d+/.exec(warnings[0] ?? '')?.[0]);
    if (pid > 0) process.kill(pid, 'SIGKILL');
    expect(others).toEqual({ isSetUp: true, survived: 1 });
    expect(warnings).toEqual([
      `repository: processes of the setup command: not ended, even by SIGKILL: ${pid}. They may still run, perhaps as another user.`,
    ]);
  });
});
