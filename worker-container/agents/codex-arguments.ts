import type { DriveName } from '../../lib/contract/drives.ts';
import type { AgentRun } from './agent.ts';

/** The drive for a run of codex: only `codex exec` takes all arguments that a profile may have. */
export function codexDriveOf({
  drive,
  args,
}: Pick<AgentRun, 'drive' | 'args'>): Extract<DriveName, 'exec' | 'app-server'> {
  return drive === 'exec' || !isConfiguration(args) ? 'exec' : 'app-server';
}

/** Options that the app server has too. */
const WITH_VALUE = /^(-c|--config|--enable|--disable)$/;
const WITH_VALUE_INSIDE = /^(-c.+|--(config|enable|disable)=.+)$/s;

function isConfiguration([first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (WITH_VALUE.test(first)) return rest.length > 0 && isConfiguration(rest.slice(1));
  return WITH_VALUE_INSIDE.test(first) && isConfiguration(rest);
}
