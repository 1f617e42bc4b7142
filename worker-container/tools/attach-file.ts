import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../lib/contract/input/legible.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { DRAFT_PREFIX } from '../attachments/find-attachments.ts';
import { readAtMost } from '../service-accounts/read-at-most.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { endStarted, outputOf, startUnder } from '../service-accounts/start-under-account.ts';
import { type Tool, ToolRefusedError, tool } from './tool.ts';

/** Where files may be, and where they are copied to. */
interface AttachableFiles {
  readonly cwd: string;
  /** `$PROMPTQ_ATTACHMENTS` */
  readonly attachments: string;
  readonly account: ServiceAccount | undefined;
}

/** Copies a file to the job's attachments, in a process under the slot's account: the worker opens no path of a job. */
export function attachFile({ cwd, attachments, account }: AttachableFiles): Tool {
  return tool({
    name: 'attach_file',
    description:
      'Keep a file as an attachment of this job, for the people who read its result. It is copied as it is now; a file of the same name is replaced.',
    input: z.object({
      path: z.string().min(1).max(LIMITS.cwdLength).describe('Path below the working folder, relative or absolute.'),
      name: z
        .string()
        .refine((name) => Buffer.byteLength(name) <= MAX_NAME_BYTES, {
          error: `expected at most ${MAX_NAME_BYTES} bytes`,
          abort: true,
        })
        .regex(/^[^/]+$/, 'expected a name without slashes')
        .refine(isLegible, LEGIBLE)
        .refine((name) => !name.startsWith('.'), 'expected a name that does not start with a dot')
        .optional()
        .describe('Name of the attachment. Default: the name of the file.'),
    }),
    async call({ path, name }, signal) {
      const args = [cwd, attachments, path, name ?? '', String(LIMITS.attachments.fileBytes)];
      const { child, started } = startUnder(account, PERL, ['-e', COPIER, '--', ...args], {
        cwd: '/',
        env: {},
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const stop = () => {
        endStarted(child);
        child.stdout?.destroy();
      };
      const late = setTimeout(stop, COPY_TIMEOUT_MS).unref();
      signal.addEventListener('abort', stop, { once: true });
      try {
        const output = await outputOf({ child, started });
        const [answer] = await Promise.all([readAtMost(MAX_ANSWER_BYTES, output), started]);
        const [kind, detail = '', kept = ''] = answer.toString().trimEnd().split('\t');
        if (kind === 'refused') throw new ToolRefusedError(`${path}: ${detail}.`);
        if (kind !== 'copied') throw new Error('the copying process ended without an answer');
        return `Attached as ${kept} (${detail} bytes).`;
      } catch (error) {
        stop();
        throw error;
      } finally {
        clearTimeout(late);
        signal.removeEventListener('abort', stop);
      }
    },
  });
}

const PERL = '/usr/bin/perl';
const COPY_TIMEOUT_MS = 60_000;
const MAX_NAME_BYTES = 200;
const MAX_ANSWER_BYTES = 8_192;

/**
 * Every folder on the way is entered by its name in the folder before, none of them a link, so that nothing that the job
 * changes meanwhile leads elsewhere. Opening waits for no FIFO's writer. The copy gets its name when it is complete.
 */
const COPIER = `
use Fcntl qw(O_RDONLY O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK O_DIRECTORY);
my ($cwd, $attachments, $path, $name, $most) = @ARGV;
sub refuse { print "refused\\t$_[0]\\n"; exit 0 }
my ($root, $rest);
if ($path !~ m{^/}) { ($root, $rest) = ($cwd, $path) }
else {
  for ($attachments, $cwd) { if (index($path, "$_/") == 0) { ($root, $rest) = ($_, substr $path, length($_) + 1); last } }
  refuse('it is not below the working folder or $PROMPTQ_ATTACHMENTS') unless defined $root;
}
my @parts = grep { $_ ne '' and $_ ne '.' } split m{/}, $rest;
refuse('it is not below the working folder or $PROMPTQ_ATTACHMENTS') if grep { $_ eq '..' } @parts;
my $file = pop @parts;
refuse('it names no file') unless defined $file;
$name = $file if $name eq '';
refuse('the name of an attachment does not start with a dot') if $name =~ /^\\./;
refuse('the name has control characters') if $name =~ /[\\x00-\\x1f\\x7f]/;
chdir $root or refuse('the folder is gone');
for my $part (@parts) {
  sysopen my $folder, $part, O_RDONLY | O_NOFOLLOW | O_DIRECTORY or refuse('a folder of the path is missing or a link');
  chdir $folder or refuse('a folder of the path cannot be entered');
}
sysopen my $from, $file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or refuse('there is no such file, or it is a link or unreadable');
my ($owner, $size) = (stat $from)[4, 7];
refuse('it is not a regular file') unless -f _;
refuse('it belongs to another user') unless $owner == $>;
refuse("it is larger than $most bytes") if $size > $most;
chdir $attachments or refuse('the folder of attachments is gone');
refuse('a folder has the name') if -d $name and not -l $name;
my $draft = "${DRAFT_PREFIX}$$";
sysopen my $to, $draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644 or refuse('the folder of attachments cannot be written');
my $copied = 0;
while ($copied < $size) {
  my $read = sysread $from, my $chunk, $size - $copied < 1048576 ? $size - $copied : 1048576;
  last unless $read;
  my $written = 0;
  while ($written < $read) {
    my $more = syswrite $to, $chunk, $read - $written, $written;
    unless ($more) { unlink $draft; refuse("it can't be copied: $!") }
    $written += $more;
  }
  $copied += $read;
}
close $to;
rename $draft, $name or do { unlink $draft; refuse("it can't be copied: $!") };
print "copied\\t$copied\\t$name\\n";
`;
