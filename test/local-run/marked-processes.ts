import { readdirSync, readFileSync } from 'node:fs';

/** Pids of the living processes whose attempt mark ends with `mark` (`JOB/ATTEMPT`). */
export function findMarkedAs(mark: string): number[] {
  return processesWith((environ) =>
    environ.some((entry) => entry.startsWith('PROMPTQ_ATTEMPT=') && entry.endsWith(mark)),
  );
}

/** Pids of the living processes that belong to a run of this home. */
export function findOfHome(home: string): number[] {
  return processesWith((environ) => environ.includes(`PROMPTQ_RUN_HOME=${home}`));
}

/** Pids of the living processes of attempts of a run of this home. */
export function findAttemptsOf(home: string): number[] {
  return processesWith(
    (environ) =>
      environ.includes(`PROMPTQ_RUN_HOME=${home}`) && environ.some((entry) => entry.startsWith('PROMPTQ_ATTEMPT=')),
  );
}

/** The living processes of attempts of a run of this home, with the marks of their attempts (`…/JOB/ATTEMPT`). */
export function findAttemptMarks(home: string): { readonly pid: number; readonly mark: string }[] {
  const found: { readonly pid: number; readonly mark: string }[] = [];
  processesWith((environ, pid) => {
    const mark = environ.find((entry) => entry.startsWith('PROMPTQ_ATTEMPT='));
    if (mark === undefined || !environ.includes(`PROMPTQ_RUN_HOME=${home}`)) return false;
    return found.push({ pid, mark: mark.slice(mark.indexOf('=') + 1) }) > 0;
  });
  return found;
}

/** Pid of the worker that the local run of a home has started; undefined while there is none. */
export function findWorker(home: string): number | undefined {
  return findOfHome(home).find((pid) => {
    const [program, ...args] = readCommand(pid);
    return program === process.execPath && args.some((arg) => arg.endsWith('worker-container/main.ts'));
  });
}

/** What a process was started as; nothing if it has ended meanwhile. */
function readCommand(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

function processesWith(matches: (environ: readonly string[], pid: number) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return matches(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'), Number(pid));
      } catch {
        return false;
      }
    })
    .map(Number);
}
