import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ProcessEntry } from '../../lib/platform/processes/process-entry.ts';
import { processTable } from '../../lib/platform/processes/process-table.ts';
import { signalProcess, type TreeScan } from '../processes/process-scan.ts';
import type { ServiceAccount } from './service-account.ts';

const run = promisify(execFile);

/**
 * The processes of an account: everything that its slot started, however well hidden. A scan can miss processes that
 * fork and end faster than it reads; the kill can't.
 */
export class AccountScan implements TreeScan {
  readonly #account: ServiceAccount;

  constructor(account: ServiceAccount) {
    this.#account = account;
  }

  find(): ProcessEntry[] {
    const table = processTable();
    const { uid } = this.#account;
    // The caller of a kill (below) has the account as its effective user only.
    const isOfAccount = (pid: number) => table.mayBeOf(uid, pid) && table.realUidOf(pid) === uid;
    const listed = table
      .pids()
      .filter(isOfAccount)
      .flatMap((pid) => table.listed(pid) ?? []);
    // Between the two reads, the number may have passed to another user's process.
    return listed.filter(({ pid, zombie }) => !zombie && isOfAccount(pid));
  }

  /** Kills all of them with one call, which no fork outruns; one by one if that call could not be made. */
  async kill(living: readonly ProcessEntry[]): Promise<void> {
    const { enderUid, uid } = this.#account;
    try {
      await run(PERL, ['-e', ENDER, String(enderUid), String(uid)], { cwd: '/', env: {}, timeout: KILL_TIMEOUT_MS });
    } catch {
      for (const entry of living) signalProcess(entry, 'SIGKILL');
    }
  }
}

/** Part of every Debian system. Its list assignment changes the real and effective user in one call. */
const PERL = '/usr/bin/perl';
/**
 * kill(2) with -1 signals everything that the caller may signal, at once. The caller here may signal what runs under
 * the account, because its effective user is the account. It is out of their reach, because its real and saved users
 * are others; starting another program in between would change that.
 */
const ENDER = '($<, $>) = @ARGV; $< == $ARGV[0] && $> == $ARGV[1] or die; kill "KILL", -1;';
/** Milliseconds. */
const KILL_TIMEOUT_MS = 5_000;
