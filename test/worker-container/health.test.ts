import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ServiceAccount } from '../../worker-container/service-accounts/service-account.ts';
import { describeAsRoot, newAccounts } from './service-accounts/as-root.ts';

const SCRIPT = fileURLToPath(new URL('../../worker-container/health.sh', import.meta.url));

let folder: string;
let worker: ChildProcess;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'promptq-health-'));
  mkdirSync(join(folder, 'worker-container'));
  const main = join(folder, 'worker-container/main.mjs');
  writeFileSync(main, 'process.stdin.resume(); console.log("ready");');
  worker = spawn(process.execPath, ['--max-semi-space-size=4', main], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(worker.stdout ?? worker, 'data');
});

afterEach(() => {
  worker.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const health = () => spawnSync('bash', [SCRIPT]).status;

describe("the worker's health check", () => {
  test('succeeds while the worker runs', () => {
    expect(health()).toBe(0);
  });

  test('fails while it is paused, and succeeds again when it resumes', async () => {
    worker.kill('SIGSTOP');
    await vi.waitUntil(() => readFileSync(`/proc/${worker.pid}/stat`, 'utf8').includes(') T '));
    expect(health()).toBe(1);
    worker.kill('SIGCONT');
    await vi.waitUntil(() => !readFileSync(`/proc/${worker.pid}/stat`, 'utf8').includes(') T '));
    expect(health()).toBe(0);
  });

  test('fails without a worker', async () => {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    expect(health()).toBe(1);
  });

  describeAsRoot('of a worker with accounts for its slots', () => {
    test('fails when only a process of a job has its name', async () => {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      const { uid, gid } = newAccounts(1).slots[0] as ServiceAccount;
      const pose = 'echo ready; exec -a node perl -e "sleep 120" /worker-container/main.mjs';
      const poser = spawn('bash', ['-c', pose], { uid, gid, stdio: ['ignore', 'pipe', 'inherit'] });
      await vi.waitUntil(() => readFileSync(`/proc/${poser.pid}/cmdline`, 'utf8').startsWith('node\0'));
      expect(health()).toBe(1);
      poser.kill('SIGKILL');
      await once(poser, 'exit');
    });
  });
});
