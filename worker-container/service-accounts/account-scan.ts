import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { signalProcess, type TreeScan } from '../processes/process-scan.ts';
import { listProcesses, type ProcessEntry, realUidOf } from '../processes/process-table.ts';
import type { ServiceAccount } from './service-account.ts';

const run = promisify(execFile);

/**
 * The processes of an account: all that its slot has started, whatever they have done to hide. A look can miss those that
 * fork and end faster than it goes; the kill can't.
 */
export class AccountScan implements TreeScan {
  readonly #account: ServiceAccount;

  constructor(account: ServiceAccount) {
    this.#account = account;
  }

  find(): ProcessEntry[] {
    return listProcesses().filter(({ pid, zombie }) => !zombie && realUidOf(pid) === this.#account.uid);
  }

  /** Kills all of them at one stroke, which no fork outruns; one by one where that could not be started. */
  async kill(living: readonly ProcessEntry[]): Promise<void> {
    const { enderUid, uid } = this.#account;
    try {
      await run(PERL, ['-e', ENDER, String(enderUid), String(uid)], { cwd: '/', env: {}, timeout: LONGEST });
    } catch {
      for (const entry of living) signalProcess(entry, 'SIGKILL');
    }
  }
}

/** A part of every Debian system; its list assignment changes real and effective user in one call. */
const PERL = '/usr/bin/perl';
/**
 * kill(2) with -1 signals all that the caller may signal, at once. This one may signal what runs under the account, as
 * its effective user; and is itself out of their reach, since its real and its saved user are others (and no program
 * is started in between, which would change that).
 */
const ENDER = '($<, $>) = @ARGV; $< == $ARGV[0] && $> == $ARGV[1] or die; kill "KILL", -1;';
/** Milliseconds. */
const LONGEST = 5_000;
