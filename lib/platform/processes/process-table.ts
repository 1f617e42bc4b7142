import { existsSync } from 'node:fs';
import { isLinux, platformName } from '../platform-name.ts';
import { PROC_TABLE } from './proc-table.ts';
import type { ProcessEntry, ProcessSource } from './process-entry.ts';
import { PS, PS_TABLE } from './ps-table.ts';

/** Where this platform lists its processes. */
export function processTable(): ProcessSource {
  return isLinux() ? PROC_TABLE : PS_TABLE;
}

/** @throws Error on a platform that can't find the processes of an attempt. */
export function requireProcessTable(): void {
  if (isLinux() || existsSync(PS)) return;
  throw new Error(
    `promptq runs agents on Linux, in WSL2 and on macOS: it finds the processes of an attempt in /proc or by ${PS}, and ${platformName()} has neither`,
  );
}

/** All processes at about this moment. */
export function listProcesses(): ProcessEntry[] {
  const table = processTable();
  return table.pids().flatMap((pid) => table.listed(pid) ?? []);
}

/** This process and its ancestors among those that were listed last, by their ids. */
export function ancestry(): Map<number, ProcessEntry> {
  const table = processTable();
  const line = new Map<number, ProcessEntry>();
  for (let entry = table.listed(process.pid); entry !== undefined; entry = table.listed(entry.parent)) {
    if (line.has(entry.pid)) break;
    line.set(entry.pid, entry);
  }
  return line;
}
