import { chown, lstat, mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LIMITS } from '../../lib/contract/limits.ts';
import type { Ending } from '../commands/ending.ts';
import { runPreparing } from '../commands/preparing-process.ts';
import type { SurvivorRule } from '../commands/process-tree.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { removeTree } from '../service-accounts/untrusted-files.ts';

/** Where the copy of a folder is made. */
interface FolderCopy extends SurvivorRule {
  /** The folder to copy. The account can read it. */
  readonly from: string;
  /** The private folder of the fork. */
  readonly to: string;
  /** The attempt that makes the copy. */
  readonly attempt: number;
  readonly mark: string;
  readonly ending: Ending | undefined;
  readonly account: ServiceAccount | undefined;
  readonly redaction: Redaction;
}

/**
 * Copies a folder beside the folder of the fork, in a process under the slot's account: the worker opens nothing that a
 * job wrote. Links are copied and not followed; those into the folder lead into the copy. Each attempt makes a
 * separate copy, so that an earlier one that still runs changes nothing.
 * @throws Error with a plain message; CancelledBeforeStartError
 */
export async function copyFolder({ from, to, attempt, ...at }: FolderCopy): Promise<void> {
  const { account } = at;
  const copy = copyOf(to, attempt);
  await removeTree(copy);
  await mkdir(copy, { mode: 0o700 });
  if (account !== undefined) await chown(copy, account.uid, account.gid);
  const { exitCode, stderrTail } = await runPreparing({
    command: PERL,
    args: ['-e', COPIER, '--', from, copy, to, String(LIMITS.forkFolderBytes)],
    env: {},
    cwd: '/',
    ...at,
    limit: COPY_TIMEOUT_MS,
  });
  if (exitCode === 0) {
    // Closed as by `closeTo`, until the fork works there.
    if (account !== undefined) await chown(copy, 0, account.uid);
    return;
  }
  await removeTree(copy);
  throw new Error(`the folder can't be copied: ${stderrTail.trim() || `exit code ${exitCode}`}`);
}

/**
 * Puts the copy that counts in its place, and removes those of attempts that were interrupted. Safe to repeat: nothing
 * is replaced.
 * @param by the attempt whose copy counts
 */
export async function placeCopy(to: string, by: number): Promise<void> {
  const isThere = (await lstat(to).catch(() => undefined)) !== undefined;
  const copy = copyOf(to, by);
  if (!isThere && (await lstat(copy).catch(() => undefined)) !== undefined) await rename(copy, to);
  const names = await readdir(dirname(to)).catch(() => []);
  for (const name of names) if (name.startsWith(`${basename(to)}${SUFFIX}`)) await removeTree(join(dirname(to), name));
}

/** After the id of a job, so that no other job may work in the copy, and the sweep finds it. */
const SUFFIX = '.copy-';

function copyOf(to: string, attempt: number): string {
  return `${to}${SUFFIX}${attempt}`;
}

const PERL = '/usr/bin/perl';
/** Milliseconds. */
const COPY_TIMEOUT_MS = 3_600_000;

/**
 * Keeps modes and times. Sockets and devices are left out. Sizes count as files declare them, holes included, and once
 * more as they are read, because a process of the job may still write.
 */
const COPIER = `
use Fcntl qw(O_RDONLY O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK);
use POSIX ();
my ($from, $to, $final, $most) = @ARGV;
my ($bytes, $entries) = (0, 0);
sub fail { my ($why) = @_; $why =~ s/[^ -~]/?/g; print STDERR "$why\\n"; exit 1 }
sub count {
  $bytes += $_[0];
  fail('it has more than ' . int($most / 1073741824) . ' GiB, the limit of a fork') if $bytes > $most;
}
sub copy {
  my ($name) = @_;
  my ($mode, $size, $read, $changed) = (lstat "$from$name")[2, 7, 8, 9] or fail("$name: $!");
  fail('it has more than 2,000,000 files') if ++$entries > 2000000;
  if (-l _) {
    my $target = readlink "$from$name";
    fail("$name: $!") unless defined $target;
    $target =~ s/\\A\\Q$from\\E(?=\\/|\\z)/$final/;
    symlink $target, "$to$name" or fail("$name: $!");
    return;
  }
  if (-d _) {
    length $name == 0 or mkdir "$to$name", 0700 or fail("$name: $!");
    opendir my $folder, "$from$name" or fail("$name: $!");
    copy("$name/$_") for grep { $_ ne '.' && $_ ne '..' } readdir $folder;
    closedir $folder;
  } elsif (-f _) {
    count($size);
    sysopen my $in, "$from$name", O_RDONLY | O_NOFOLLOW | O_NONBLOCK or fail("$name: $!");
    sysopen my $out, "$to$name", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600 or fail("$name: $!");
    my $left = $size;
    while (1) {
      my $got = sysread $in, my $chunk, 1048576;
      fail("$name: $!") unless defined $got;
      last if $got == 0;
      count($got - $left) if $got > $left;
      $left = $got > $left ? 0 : $left - $got;
      my $at = 0;
      while ($at < $got) {
        my $put = syswrite $out, $chunk, $got - $at, $at;
        fail("$name: $!") unless defined $put;
        $at += $put;
      }
    }
    close $out or fail("$name: $!");
  } elsif (-p _) {
    POSIX::mkfifo("$to$name", 0600) or fail("$name: $!");
  } else { return }
  length $name == 0 or chmod $mode & 07777, "$to$name" or fail("$name: $!");
  utime $read, $changed, "$to$name" or fail("$name: $!");
}
copy('');
`;
