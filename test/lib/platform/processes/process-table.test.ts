import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { isLinux, platformName } from '../../../../lib/platform/platform-name.ts';
import { PROC_TABLE } from '../../../../lib/platform/processes/proc-table.ts';
import {
  ancestry,
  listProcesses,
  processTable,
  requireProcessTable,
} from '../../../../lib/platform/processes/process-table.ts';
import { PS, PS_TABLE } from '../../../../lib/platform/processes/ps-table.ts';

afterEach(() => void vi.unstubAllEnvs());

it('the platform is this one, unless a test names another, which has no means of Linux', () => {
  vi.stubEnv('PROMPTQ_PLATFORM', '');
  expect(platformName()).toBe(`${process.platform}-${process.arch}`);
  vi.stubEnv('PROMPTQ_PLATFORM', 'darwin-arm64');
  expect([platformName(), isLinux()]).toEqual(['darwin-arm64', false]);
  vi.stubEnv('PROMPTQ_PLATFORM', 'linux-riscv64');
  expect(isLinux()).toBe(existsSync('/proc/self/stat'));
});

it.runIf(existsSync('/proc/self/stat') && existsSync(PS))('Linux lists its processes in /proc, others by ps', () => {
  expect(processTable()).toBe(PROC_TABLE);
  vi.stubEnv('PROMPTQ_PLATFORM', 'darwin-arm64');
  expect(processTable()).toBe(PS_TABLE);
  requireProcessTable();
});

it('the line of a process begins with it and its parents, as they are listed', () => {
  const all = listProcesses();
  const line = [...ancestry().values()];
  expect(line.slice(0, 2).map(({ pid }) => pid)).toEqual([process.pid, process.ppid]);
  expect(line.length).toBeLessThan(all.length);
  for (const [at, { parent }] of line.slice(0, -1).entries()) expect(line[at + 1]?.pid).toBe(parent);
});
