import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endAccount, spawnTree, type Tree } from '../../../worker-container/commands/process-tree.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { startUnder } from '../../../worker-container/service-accounts/start-under-account.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

const PATH = '/usr/bin:/bin';

describeAsRoot('the environment of a process that is started under an account', () => {
  const slot = newAccounts(1).slots[0] as ServiceAccount;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    await chown(folder, slot.uid, slot.gid);
  });
  afterEach(async () => {
    await endAccount(slot);
    await rm(folder, { recursive: true });
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = folder): Promise<Tree> => {
    const [command = '', ...rest] = args;
    return spawnTree({
      ...{ command, args: rest, env: { PATH, ...env }, cwd },
      ...{ stdin: '', mark: randomUUID(), account: slot },
    });
  };
  const ownersOf = async (path: string) =>
    await Promise.all((await readdir(path)).map(async (name) => (await lstat(join(path, name))).uid));

  test('reaches the dynamic loader of no process that runs as root', async () => {
    // The loader writes what it does to a file, as the user of the process that it loads.
    const tree = await start(['/bin/true'], {
      LD_DEBUG: 'files',
      LD_DEBUG_OUTPUT: join(folder, 'loader'),
    });
    await tree.exited;
    expect(await ownersOf(folder)).toEqual([slot.uid]);
    const [name = ''] = await readdir(folder);
    const said = await readFile(join(folder, name), 'utf8');
    expect(said.match(/initialize program: \S+/g)).toEqual(['initialize program: /bin/true']);
  });

  test.each(['LD_PRELOAD', 'LD_AUDIT'])('has one process obey %s, the one that it is meant for', async (variable) => {
    const tree = await start(['/bin/true'], { [variable]: '/no/such/object.so' });
    expect((await text(tree.stderr)).match(/\/no\/such\/object\.so/g)).toHaveLength(1);
    expect(await tree.exited).toEqual({ exitCode: 0, signal: null });
  });

  test('reaches no interpreter but those that run under the account', async () => {
    const module = 'open F, ">", "$ENV{FOUND}/perl.$$"; close F; 1;';
    await writeFile(join(folder, 'Planted.pm'), module);
    await writeFile(join(folder, 'planted.cjs'), 'require("fs").writeFileSync(process.env.FOUND + "/node", "")');
    await writeFile(join(folder, 'planted.sh'), ': > $FOUND/bash');
    const found = join(folder, 'found');
    await mkdir(found);
    await chown(found, slot.uid, slot.gid);
    const planted = {
      FOUND: found,
      PERL5LIB: folder,
      PERL5OPT: '-MPlanted',
      BASH_ENV: join(folder, 'planted.sh'),
      ENV: join(folder, 'planted.sh'),
      NODE_OPTIONS: `--require=${join(folder, 'planted.cjs')}`,
    };
    const none = await start(['/bin/true'], planted);
    expect(await none.exited).toEqual({ exitCode: 0, signal: null });
    expect(await readdir(found)).toEqual([]);
    const both = await start(['bash', '-c', 'perl -e 1'], planted);
    expect(await both.exited).toEqual({ exitCode: 0, signal: null });
    expect(await ownersOf(found)).toEqual([slot.uid, slot.uid]);
  });

  test('arrives whole and unchanged, and nothing else with it', async () => {
    const env = {
      EMPTY: '',
      LINES: 'one\ntwo\n\nA=B\n',
      EQUALS: '==a=b=',
      _odd9: 'ünïcödé \u{1f600} \ufffd \u0001\u007f\t ',
      LARGE: 'x'.repeat(120_000),
      ...Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`SECRET_${n}`, `${n}`.padEnd(4_000, 'ä')])),
    };
    const tree = await start(['/usr/bin/env', '-0'], env);
    const entries = (await buffer(tree.stdout)).toString().split('\0');
    const { PROMPTQ_ATTEMPT, ...got } = Object.fromEntries(
      entries.slice(0, -1).map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
    expect(PROMPTQ_ATTEMPT).toMatch(/^[0-9a-f-]{36}$/);
    expect(got).toEqual({ PATH, ...env });
  });

  test('is none that a value could add to', async () => {
    await expect(start(['/usr/bin/env'], { PROJECT: 'a\0LD_PRELOAD=/evil.so' })).rejects.toThrow(
      `can't start /usr/bin/env in ${folder}: `,
    );
  });

  test('is in no argument and in no environment before the account has it', async () => {
    // More than the channel holds, so that the process can't be ahead of this test during the check.
    const env = {
      SECRET: 'the-secret',
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`L${n}`, 'x'.repeat(100_000)])),
    };
    const { child, started } = startUnder(slot, '/usr/bin/env', ['-0'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const seen: { uid: string; args: string; environ: string }[] = [];
    const isSlot = () => seen.at(-1)?.uid === String(slot.uid) && seen.at(-1)?.args.startsWith('/usr/bin/perl\0');
    while (!isSlot()) {
      const at = (file: string) => readFileSync(`/proc/${child.pid}/${file}`, 'latin1');
      seen.push({ uid: /^Uid:\t(\d+)/m.exec(at('status'))?.[1] ?? '', args: at('cmdline'), environ: at('environ') });
    }
    expect(seen.filter(({ args, environ }) => args.includes('the-secret') || environ !== '')).toEqual([]);
    if (child.stdout === null) throw new Error('there is no output');
    const [output] = await Promise.all([text(child.stdout), started]);
    expect(output).toContain('SECRET=the-secret\0');
  });

  test('has no descriptors but the standard ones', async () => {
    const tree = await start(['bash', '-c', 'ls /proc/$$/fd; :']);
    expect((await text(tree.stdout)).trim().split('\n')).toEqual(['0', '1', '2']);
  });

  test('has no signal ignored or blocked', async () => {
    const tree = await start(['grep', '-E', '^Sig(Ign|Blk)', '/proc/self/status']);
    expect(await text(tree.stdout)).toBe(`SigBlk:\t${'0'.repeat(16)}\nSigIgn:\t${'0'.repeat(16)}\n`);
  });

  test.each([
    ['/no/such/agent', 'No such file or directory'],
    ['no-such-agent', 'No such file or directory'],
    ['/etc/passwd', 'Permission denied'],
  ])('reaches nothing where the command is %s, which is said', async (command, why) => {
    await expect(start([command])).rejects.toThrow(`can't start ${command} in ${folder}: ${why}`);
  });

  test('is that of a folder which the account itself can enter', async () => {
    await expect(start(['pwd'], {}, join(folder, 'none'))).rejects.toThrow(
      `can't start pwd in ${join(folder, 'none')}: the folder can't be entered: No such file or directory`,
    );
    const closed = join(folder, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await symlink(closed, join(folder, 'link'));
    await expect(start(['pwd'], {}, join(folder, 'link'))).rejects.toThrow(
      "the folder can't be entered: Permission denied",
    );
    const tree = await start(['pwd']);
    expect(await text(tree.stdout)).toBe(`${folder}\n`);
  });
});
