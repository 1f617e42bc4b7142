import { execFileSync } from 'node:child_process';
import { chownSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, chown, link, mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  readSessionFile,
  SessionFileRefusedError,
} from '../../../worker-container/agent-sessions/read-session-file.ts';
import { endAccount } from '../../../worker-container/commands/process-tree.ts';
import { AccountScan } from '../../../worker-container/service-accounts/account-scan.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';

const ID = '01a207f5-eb44-7283-a012-30a0de506a94';

let root: string;
let folder: string;
let path: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'promptq-session-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  folder = join(root, 'sessions');
  await mkdir(join(folder, '2026/11'), { recursive: true });
  path = join(folder, `2026/11/rollout-${ID}.jsonl`);
});

function read(range: { from?: number; most?: number; account?: ServiceAccount } = {}) {
  return readSessionFile({ folder, sessionId: ID, from: 0, most: 1_000_000, account: undefined, ...range });
}

test('a session is found by its id and read from any byte', async () => {
  await writeFile(path, 'first\nsecond\n');
  const part = await read({ from: 6, most: 6 });
  expect(part).toMatchObject({ size: 13, path: `2026/11/rollout-${ID}.jsonl`, identity: expect.any(String) });
  expect(part?.bytes.toString()).toBe('second');
  const other = join(root, 'other');
  await writeFile(other, 'first\nsecond\n');
  await rename(other, path);
  expect((await read())?.identity).not.toBe(part?.identity);
});

test('an agent without a session, or without a folder for them, has none', async () => {
  expect(await read()).toBeUndefined();
  await rm(folder, { recursive: true });
  expect(await read()).toBeUndefined();
});

const secret = () => join(root, 'secret');
test.for([
  { what: 'a link', why: /is a link/, plant: async () => symlink(secret(), path) },
  { what: 'a FIFO', why: /not a regular file/, plant: async () => execFileSync('mkfifo', [path]) },
  { what: 'a second name of another file', why: /several names/, plant: async () => link(secret(), path) },
  {
    what: 'a file with holes',
    why: /has holes/,
    plant: async () => {
      await writeFile(path, '{}\n');
      await truncate(path, 2_000_000);
    },
  },
  {
    what: 'a file of more than 64 MiB',
    why: /larger than 64 MiB/,
    plant: async () => {
      await writeFile(path, '{}\n');
      await truncate(path, 64 * 1024 * 1024 + 1);
    },
  },
])('$what is not read', async ({ plant, why }) => {
  await writeFile(secret(), 'hidden\n');
  await plant();
  await expect(read()).rejects.toThrow(SessionFileRefusedError);
  await expect(read()).rejects.toThrow(why);
});

test.skipIf(process.getuid?.() !== 0)("another user's file is not read", async () => {
  await writeFile(path, '{}\n');
  chownSync(path, 12_345, 12_345);
  await expect(read()).rejects.toThrow(/another user/);
});

test('a folder behind a link is not searched', async () => {
  await mkdir(join(root, 'elsewhere'));
  await writeFile(join(root, `elsewhere/rollout-${ID}.jsonl`), 'hidden\n');
  await symlink(join(root, 'elsewhere'), join(folder, 'planted'));
  expect(await read()).toBeUndefined();
  await rm(folder, { recursive: true });
  await symlink(join(root, 'elsewhere'), folder);
  expect(await read()).toBeUndefined();
});

/** Whether a process of the account has the session's file open. */
function isOpenIn(account: ServiceAccount): boolean {
  return new AccountScan(account).find().some(({ pid }) => {
    try {
      const folder = `/proc/${pid}/fd`;
      return readdirSync(folder).some((name) => readlinkSync(join(folder, name)) === path);
    } catch {
      return false;
    }
  });
}

describeAsRoot('a reader under an account', () => {
  test('that is killed while it reads gives no part that looks whole', async () => {
    const [account] = newAccounts(1).slots as [ServiceAccount];
    await chmod(root, 0o755);
    await writeFile(path, Buffer.alloc(60_000_000, '{}\n'));
    await chown(path, account.uid, account.gid);
    const sizes = new Set<number>();
    for (let round = 0; round < 10; round += 1) {
      const part = read({ most: 64_000_000, account }).catch(() => undefined);
      await expect.poll(() => isOpenIn(account), { interval: 1, timeout: 60_000 }).toBe(true);
      await endAccount(account);
      const whole = await part;
      if (whole !== undefined) sizes.add(whole.bytes.length);
    }
    sizes.delete(60_000_000);
    expect([...sizes]).toEqual([]);
  });
});
