import type { Harmless } from './harmless.ts';

/** Mutants of what all parts share that change nothing of importance. */
export const PLATFORM: readonly Harmless[] = [
  {
    file: 'lib/platform/operations/probe-disk.ts',
    find: 'await file.datasync();',
    replace: ';',
    reason:
      'file systems here refuse the write itself; the call is for those that refuse only what is written to the disk',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: "'EPERM'",
    replace: "'ENOENT'",
    reason: 'tests run as root, or as the user of the processes, where no file of /proc is refused in this way',
  },
  {
    file: 'lib/platform/aws/batch-get.ts',
    in: 'batchGet',
    find: '<',
    replace: '<=',
    reason: 'a further group without keys asks for nothing',
  },
  ...['<', '>'].map((find) => ({
    file: 'lib/platform/aws/table-clock.ts',
    in: 'observe',
    find,
    replace: `${find}=`,
    reason: 'an estimate that is exactly at a bound is set to what it is',
  })),
  {
    file: 'lib/platform/aws/table-clock.ts',
    in: 'observe',
    find: 'Number.isNaN(date)',
    replace: 'false',
    reason: 'a time that is no number is on neither side of a bound, so nothing is moved',
  },
  ...[
    ['this.#removed.push(name) > 0', 'true'],
    ['>', '>='],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/aws/objects/objects-on-demand.ts',
    find,
    replace,
    reason: 'a list to which something was added is never empty',
  })),
  ...[
    ['64', '640'],
    ['1024', '10240'],
    ['2', '20'],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/processes/proc-table.ts',
    in: find === '2' ? 'readFile' : '',
    find,
    replace,
    reason: 'a larger buffer reads the same files',
  })),
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '32_768',
    replace: '327680',
    reason: 'Linux always tells its highest number; this one is for a /proc of which parts are hidden',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '1_000',
    replace: '10000',
    reason: 'with a larger margin all processes are listed somewhat earlier, which finds no fewer',
  },
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: 'starts.set(pid, { inode, startedAt: entry.startedAt });',
    replace: ';',
    reason: 'a process of which nothing is remembered is read again, which costs time only',
  },
  ...[
    ['starts.size >= MAX_STARTS', 'false'],
    ['starts.size >= MAX_STARTS', '!(starts.size >= MAX_STARTS)'],
    ['>=', '>'],
    ['starts.clear();', ';'],
  ].map(([find = '', replace = '']) => ({
    file: 'lib/platform/processes/proc-table.ts',
    in: 'readStartedSince',
    find,
    replace,
    reason: 'what is remembered of processes that have ended costs memory only, and what is forgotten is read again',
  })),
  {
    file: 'lib/platform/processes/proc-table.ts',
    find: '10_000',
    replace: '100000',
    reason: 'what is remembered of processes that have ended costs memory only, and what is forgotten is read again',
  },
  ...['256', '1024'].map((find) => ({
    file: 'lib/platform/processes/ps-table.ts',
    find,
    replace: `${find}0`,
    reason: 'no list is as long as the smaller limit',
  })),
];
