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

function processesWith(matches: (environ: readonly string[]) => boolean): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return matches(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0'));
      } catch {
        return false;
      }
    })
    .map(Number);
}
