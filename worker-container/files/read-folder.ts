import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { LIMITS } from '../../lib/contract/limits.ts';
import type { NOT_KEPT } from '../../lib/contract/not-kept.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { endStarted, outputOf, startUnder } from '../service-accounts/start-under-account.ts';

/*
 * Reads the files of a job's folder in a process under the slot's account: the worker opens nothing that a job wrote, and
 * the process can read only what the job could. It follows no link and waits for no FIFO. What it prints is a list of
 * frames: a line `KIND MODE SIZE LENGTH`, a path of LENGTH bytes and, of a file that is kept, its content in pieces, each
 * after a line with its length, up to a line `0`, or `broken` if it could not be read to its end. Another process of the
 * account could write into the same pipe, so every number is checked again here.
 */

export interface FolderRead {
  readonly folder: string;
  readonly account: ServiceAccount | undefined;
  readonly limits: Readonly<Record<keyof typeof LIMITS.files, number>>;
  /** The files to read, relative to the folder. Default: all. */
  readonly paths?: readonly string[];
  /** Seconds since 1970: what was changed before is left out. Default: nothing is. */
  readonly since?: number;
  /** Ends the process. */
  readonly signal: AbortSignal;
}

/** What the process tells, one after the other. A `piece` belongs to the last `file`, which `whole` or `broken` ends. */
type FolderFrame =
  | { readonly kind: 'file'; readonly path: Buffer; readonly mode: number }
  | { readonly kind: 'piece'; readonly bytes: Buffer }
  | { readonly kind: 'whole' | 'broken' }
  | {
      readonly kind: 'left';
      readonly path: Buffer;
      readonly mode: number;
      readonly bytes: number;
      readonly reason: Reason;
    }
  | { readonly kind: 'end'; readonly more: number; readonly isCut: boolean };

type Reason = keyof typeof NOT_KEPT;

const REASONS: Readonly<Record<string, Reason>> = {
  l: 'link',
  s: 'special',
  x: 'left_out',
  b: 'size',
  t: 'total',
  d: 'depth',
  u: 'unreadable',
};

/** Folders that tools fill, and that nobody looks for what a job made in. */
const LEFT_OUT = [
  ...['.git', '.hg', '.svn', 'node_modules', '.venv', 'venv', '__pycache__', '.tox', '.mypy_cache', '.pytest_cache'],
  ...['.ruff_cache', '.cache', '.gradle', '.terraform'],
];

const PERL = '/usr/bin/perl';
const PIECE_BYTES = 64 * 1024;
/** Seconds after its own limit at which a process that hangs is ended. */
const HANGING_SECONDS = 10;
/** Most characters of a line. */
const LINE_LENGTH = 80;
/** Most bytes of a path of any file system. */
const PATH_BYTES = 64 * 1024;

/** @throws Error if the process can't be started, takes too long, or prints something else */
export async function* readFolder({
  folder,
  account,
  limits,
  paths,
  since = 0,
  signal,
}: FolderRead): AsyncGenerator<FolderFrame> {
  const { count, fileBytes, totalBytes, depth, scanned, seconds } = limits;
  const numbers = [count, fileBytes, totalBytes, depth, scanned, seconds, Math.trunc(since)].map(String);
  const how = paths === undefined ? 'walk' : 'list';
  const { child, started } = startUnder(account, PERL, ['-e', READER, '--', folder, how, ...numbers, ...LEFT_OUT], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const stop = () => {
    endStarted(child);
    child.stdout?.destroy();
  };
  const late = setTimeout(stop, (seconds + HANGING_SECONDS) * 1000).unref();
  signal.addEventListener('abort', stop, { once: true });
  started.catch(() => undefined);
  try {
    // A process that has ended reads nothing more, and its output ends too early.
    child.stdin?.on('error', () => undefined).end((paths ?? []).map((path) => `${path}\0`).join(''));
    const output = await outputOf({ child, started });
    await started;
    yield* framesOf(pullerOf(output));
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
    stop();
  }
}

interface Puller {
  line(): Promise<string>;
  bytes(count: number): Promise<Buffer>;
}

async function* framesOf(pull: Puller): AsyncGenerator<FolderFrame> {
  for (;;) {
    const [kind = '', ...rest] = (await pull.line()).split(' ');
    const [mode = 0, size = 0, length = 0] = rest.map(whole);
    if (kind === 'end') return yield { kind: 'end', more: mode, isCut: size === 1 };
    if (length > PATH_BYTES) throw new Error(UNSOUND);
    const path = await pull.bytes(length);
    const reason = REASONS[kind];
    if (reason !== undefined) yield { kind: 'left', path, mode, bytes: size, reason };
    else if (kind !== 'f') throw new Error(UNSOUND);
    else {
      yield { kind: 'file', path, mode };
      yield* piecesOf(pull);
    }
  }
}

async function* piecesOf(pull: Puller): AsyncGenerator<FolderFrame> {
  for (;;) {
    const line = await pull.line();
    if (line === 'broken') return yield { kind: 'broken' };
    const count = whole(line);
    if (count > PIECE_BYTES) throw new Error(UNSOUND);
    if (count === 0) return yield { kind: 'whole' };
    yield { kind: 'piece', bytes: await pull.bytes(count) };
  }
}

const UNSOUND = 'the reader of the folder was ended, or disturbed';

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(UNSOUND);
  return Number(text);
}

/** Takes lines and bytes from a stream. @throws Error if it ends before */
function pullerOf(stream: Readable): Puller {
  let rest = Buffer.alloc(0);
  const more = async () => {
    for (;;) {
      const chunk: Buffer | null = stream.read();
      if (chunk !== null) {
        rest = Buffer.concat([rest, chunk]);
        return;
      }
      if (stream.readableEnded || stream.destroyed) throw new Error(UNSOUND);
      await Promise.race([once(stream, 'readable'), once(stream, 'close')]);
    }
  };
  const take = (count: number) => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    return taken;
  };
  return {
    line: async () => {
      for (;;) {
        const end = rest.indexOf('\n');
        if (end > LINE_LENGTH || (end < 0 && rest.length > LINE_LENGTH)) throw new Error(UNSOUND);
        if (end >= 0) return take(end + 1).toString('latin1', 0, end);
        await more();
      }
    },
    bytes: async (count) => {
      while (rest.length < count) await more();
      return take(count);
    },
  };
}

/** Files of a folder come before those of the folders in it, so that a large one hides no file beside it. */
const READER = `
use Fcntl qw(O_RDONLY O_NOFOLLOW O_NONBLOCK);
my ($root, $how, $count, $largest, $total, $depth, $scanned, $seconds, $since, @left_out) = @ARGV;
my %left_out = map { $_ => 1 } @left_out;
my ($seen, $listed, $more, $cut) = (0, 0, 0, 0);
binmode STDOUT;
sub full { $cut = 1 if ++$seen > $scanned or time - $^T > $seconds; $cut }
sub left {
  my ($kind, $path, $mode, $size) = @_;
  if ($listed >= $count) { $more++; return }
  $listed++;
  print "$kind $mode $size " . length($path) . "\\n$path";
}
sub file {
  my ($path) = @_;
  my ($mode, $size, $changed) = (lstat "$root/$path")[2, 7, 9];
  return left('u', $path, 0, 0) unless defined $mode;
  return if -d _ or $changed < $since;
  my $bits = $mode & 0777;
  return left('l', $path, $bits, $size) if -l _;
  return left('s', $path, $bits, 0) unless -f _;
  return left('b', $path, $bits, $size) if $size > $largest;
  return left('t', $path, $bits, $size) if $size > $total;
  if ($listed >= $count) { $more++; return }
  sysopen my $file, "$root/$path", O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return left('u', $path, $bits, $size);
  return left('u', $path, $bits, $size) unless -f $file;
  $listed++;
  print "f $bits $size " . length($path) . "\\n$path";
  while ($size > 0) {
    my $read = sysread $file, my $piece, $size < 65536 ? $size : 65536;
    unless ($read) { print "broken\\n"; return }
    $size -= $read;
    $total -= $read;
    print "$read\\n$piece";
  }
  print "0\\n";
}
sub walk {
  my ($prefix, $level) = @_;
  my $folder;
  unless (opendir $folder, "$root/$prefix") {
    exit 1 if $prefix eq '';
    return left('u', substr($prefix, 0, -1), 0, 0);
  }
  my (@names, @folders);
  while (defined(my $name = readdir $folder)) {
    next if $name eq '.' or $name eq '..';
    last if full();
    push @names, $name;
  }
  closedir $folder;
  for my $name (sort @names) {
    return if time - $^T > $seconds and $cut = 1;
    lstat "$root/$prefix$name";
    if (not -d _) { file("$prefix$name") }
    elsif ($left_out{$name}) { left('x', "$prefix$name", 0, 0) unless $since }
    elsif ($level >= $depth) { left('d', "$prefix$name", 0, 0) }
    else { push @folders, $name }
  }
  walk("$prefix$_/", $level + 1) for @folders;
}
if ($how eq 'walk') { walk('', 1) }
else { local $/ = "\\0"; while (my $path = <STDIN>) { chomp $path; last if full(); file($path) } }
print 'end ' . $more . ' ' . $cut . "\\n";
`;
