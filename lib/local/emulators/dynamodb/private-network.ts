import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { isLinux } from '../../../platform/platform-name.ts';
import { findProgram } from '../../run/child-process.ts';

/** Brings up the namespace's loopback interface (SIOCSIFFLAGS with IFF_UP and IFF_LOOPBACK), then execs the command. */
const LOOPBACK_UP = `
use Socket;
socket(my $s, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
my $flags = pack("a16 s x22", "lo", 9);
ioctl($s, 0x8914, $flags) or die "ioctl: $!";
exec @ARGV or die "exec: $!";
`;

/**
 * The command prefix that starts a program in an empty network namespace, also without root.
 * @returns undefined where the system denies this user one (some containers, AppArmor on Ubuntu from 24.04 on)
 */
export async function privateNetwork(): Promise<readonly string[] | undefined> {
  if (!isLinux()) return undefined;
  const [unshare, perl] = await Promise.all([findProgram('unshare'), findProgram('perl')]);
  if (unshare === undefined || perl === undefined) return undefined;
  const words = [unshare, '--user', '--map-root-user', '--net', perl, '-e', LOOPBACK_UP];
  const [program = '', ...args] = words;
  return await promisify(execFile)(program, [...args, 'true']).then(
    () => words,
    () => undefined,
  );
}
