import { once } from 'node:events';
import { SESSION_BYTES } from '../../lib/jobs/output/agent-sessions/session-record.ts';
import { readAtMost } from '../service-accounts/read-at-most.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { endStarted, outputOf, startUnder } from '../service-accounts/start-under-account.ts';

/** The file of a session: where it may be, and from which byte to read. */
interface SessionFileRequest {
  /** The folder with the CLI's sessions. */
  readonly folder: string;
  readonly sessionId: string;
  readonly from: number;
  /** Most bytes to read. */
  readonly most: number;
  readonly account: ServiceAccount | undefined;
}

/** A part of the file of a session. */
export interface SessionFilePart {
  /** Changes when another file takes its place. */
  readonly identity: string;
  /** Size of the whole file, bytes. */
  readonly size: number;
  /** Below the folder with the sessions. */
  readonly path: string;
  readonly bytes: Buffer;
}

/** The file of a session is not read. The message says why. */
export class SessionFileRefusedError extends Error {
  override readonly name = 'SessionFileRefusedError';
}

/**
 * Reads a part of a session's file, in a process under the slot's account: the worker opens no path that a job can
 * write. The file must be a regular one of that account, with one name and without holes, not behind a link.
 * @returns undefined: there is no such file
 * @throws SessionFileRefusedError; Error if the process fails
 */
export async function readSessionFile({
  folder,
  sessionId,
  from,
  most,
  account,
}: SessionFileRequest): Promise<SessionFilePart | undefined> {
  const limits = [String(from), String(most), String(SESSION_BYTES)];
  const { child, started } = startUnder(account, PERL, ['-e', READER, '--', folder, `${sessionId}.jsonl`, ...limits], {
    cwd: '/',
    env: {},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = () => {
    endStarted(child);
    child.stdout?.destroy();
  };
  const late = setTimeout(stop, READ_TIMEOUT_MS).unref();
  const closed = once(child, 'close');
  closed.catch(() => undefined);
  try {
    const [answer] = await Promise.all([readAtMost(HEAD_BYTES + most, await outputOf({ child, started })), started]);
    const [exitCode] = (await closed) as [number | null];
    // An answer without its end looks like a shorter file.
    if (exitCode !== 0) throw new Error('the reader of the session was ended');
    return readAnswer(answer);
  } catch (error) {
    stop();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

const PERL = '/usr/bin/perl';
const READ_TIMEOUT_MS = 10_000;
/** Most bytes of an answer before those of the file. */
const HEAD_BYTES = 8_192;

function readAnswer(answer: Buffer): SessionFilePart | undefined {
  const end = answer.indexOf('\n');
  const [kind, identity = '', size = '', path = ''] = answer.toString('utf8', 0, Math.max(end, 0)).split('\t');
  if (kind === 'none') return undefined;
  if (kind === 'refused') throw new SessionFileRefusedError(identity);
  if (kind !== 'found') throw new Error('the reader of the session ended without an answer');
  return { identity, size: Number(size), path, bytes: answer.subarray(end + 1) };
}

/**
 * Finds the file by the end of its name, without following a link, and opens it without following one or waiting for a
 * FIFO's writer. A file of a megabyte or more whose blocks hold less than half of its size has holes: reading it would
 * cost more than its author spent.
 */
const READER = `
use Fcntl qw(O_RDONLY O_NOFOLLOW O_NONBLOCK);
my ($root, $name, $from, $most, $largest) = @ARGV;
my ($seen, $found) = (0);
sub find {
  my ($path, $depth) = @_;
  opendir my $folder, "$root$path" or return;
  for my $entry (sort readdir $folder) {
    return if defined $found or ++$seen > 20000;
    next if $entry eq '.' or $entry eq '..' or $entry !~ /\\A[\\w.-]+\\z/;
    next unless lstat "$root$path/$entry";
    if (-d _) { find("$path/$entry", $depth + 1) if $depth < 5 }
    elsif (length $entry >= length $name and substr($entry, -length $name) eq $name) { $found = "$path/$entry" }
  }
}
sub refuse { print "refused\\t$_[0]\\n"; exit 0 }
find('', 0) if lstat $root and -d _;
unless (defined $found) { print "none\\n"; exit 0 }
sysopen my $file, "$root$found", O_RDONLY | O_NOFOLLOW | O_NONBLOCK or refuse('its file is a link or unreadable');
my ($device, $inode, $names, $owner, $size, $blocks) = (stat $file)[0, 1, 3, 4, 7, 12];
refuse('it is not a regular file') unless -f _;
refuse('its file belongs to another user') unless $owner == $>;
refuse('its file has several names') unless $names == 1;
refuse('its file is larger than 64 MiB') if $size > $largest;
refuse('its file has holes') if $size >= 1048576 and $blocks * 512 < $size / 2;
$found = substr $found, 1;
print "found\\t$device:$inode\\t$size\\t$found\\n";
$| = 1; print '';
sysseek $file, $from, 0;
while ($most > 0) {
  my $read = sysread $file, my $chunk, $most < 65536 ? $most : 65536;
  last unless $read;
  $most -= $read;
  print $chunk;
}
`;
