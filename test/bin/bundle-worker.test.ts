import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { REQUIRED_SETTINGS } from '../worker-container/required-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'promptq-bundle-worker-'));
/** Not named as in the image: the test of its health check, at the same time, searches for a process of that name. */
const bundle = join(folder, 'bundle.mjs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const script = fileURLToPath(new URL('../../bin/bundle-worker.ts', import.meta.url));
execFileSync(process.execPath, [script, bundle], { stdio: 'inherit' });

describe("the worker's bundle", () => {
  test('runs without other files, until it rejects its environment', () => {
    const { status, stderr } = spawnSync(process.execPath, [bundle], { cwd: folder, env: {}, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('the environment of this process is not complete');
    expect(stderr).toContain('JOBS_TABLE');
  });

  test('starts with a complete environment, and stops cleanly on SIGTERM, without having registered', async () => {
    const nowhere = 'http://127.0.0.1:9';
    const env = {
      HOME: folder,
      ...REQUIRED_SETTINGS,
      PROMPTQ_WORK_DIR: join(folder, 'work'),
      PROMPTQ_STOP_GRACE_SECONDS: '0',
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'none',
      AWS_SECRET_ACCESS_KEY: 'none',
      AWS_ENDPOINT_URL: nowhere,
    };
    const worker = spawn(process.execPath, [bundle], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const exited = once(worker, 'exit');
    const messageOf = (line: string) => (JSON.parse(line) as { message: string }).message;
    // Warnings are there.
    createInterface({ input: worker.stderr }).on('line', (line) => {
      if (line.includes('not registered; trying again')) worker.kill('SIGTERM');
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: worker.stdout })) said.push(messageOf(line));
    expect(said).toEqual(expect.arrayContaining(['stopping', 'stopped']));
    expect(said).not.toContain('ready');
    expect(await exited).toEqual([0, null]);
  });

  test('prints its usage', () => {
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('usage: node bin/bundle-worker.ts OUTFILE')]);
  });
});
