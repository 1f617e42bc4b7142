import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { Duplex, Readable } from 'node:stream';
import type { ServiceAccount } from './service-account.ts';

interface StartOptions extends Pick<SpawnOptions, 'detached'> {
  readonly cwd: string;
  /** The complete environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** stdin, stdout and stderr. */
  readonly stdio: ('ignore' | 'pipe' | number)[];
}

interface StartedProcess {
  readonly child: ChildProcess;
  /** Resolves when the process runs the command with its environment; rejects with a plain message if it can't. */
  readonly started: Promise<void>;
}

/**
 * Starts a command, under an account if there is one. Every process of a job is started here.
 *
 * A client controls the environment, so no process with the worker's privileges may have it: the dynamic loader alone
 * would load libraries that it names. setpriv and perl start with an empty environment. Once all privileges are
 * dropped, perl reads the command's environment from a socket, which keeps it out of arguments and files, and executes
 * the command.
 *
 * When memory is used up, the kernel kills a process of a job before the worker, which would end all its jobs.
 */
export function startUnder(
  account: ServiceAccount | undefined,
  command: string,
  args: readonly string[],
  options: StartOptions,
): StartedProcess {
  if (account === undefined) {
    const child = spawn(command, args, options);
    if (child.pid !== undefined) preferWhenMemoryEnds(child.pid);
    return { child, started: once(child, 'spawn').then(() => undefined) };
  }
  const { cwd, env, stdio } = options;
  const environment = serialize(env);
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`];
  const launch = [...identity, ...DROPPED, '--', PERL, '-e', LAUNCHER, '--', cwd, command, ...args];
  const child = spawn(SETPRIV, launch, { ...options, cwd: '/', env: {}, stdio: [...stdio.slice(0, 3), 'pipe'] });
  return { child, started: handOver(child, environment) };
}

/**
 * The output of a process that was started with a pipe for it. A worker that has no descriptors left has none, and no
 * process.
 * @throws Error that says why it was not started
 */
export async function outputOf({ child, started }: StartedProcess): Promise<Readable> {
  const output: Readable | null | undefined = child.stdout;
  if (output) return output;
  await started;
  throw new Error('it was started without a pipe for its output');
}

/** Kills a process, unless it was not started: a signal to no process reaches this one and its whole group. */
export function endStarted(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL');
}

/** Absolute paths: a profile may set PATH. */
const [SETPRIV, PERL] = ['/usr/bin/setpriv', '/usr/bin/perl'];
/** Drops everything that a program could regain: groups, capabilities, privileges from set-user-ID files. */
const DROPPED = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];

/** Added to a process's thousandths of the memory, by which the kernel chooses. What the process starts inherits it. */
const OOM_SCORE_ADJ = '500';

/**
 * A lower priority than the worker's (0 to 19): otherwise a job with hundreds of busy processes keeps it from extending
 * the leases of all its jobs.
 */
const NICE = 5;

/** Until this process returns to its event loop, even a process that has ended keeps its number. */
function preferWhenMemoryEnds(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE_ADJ);
  } catch {
    // Not on Linux, or its score is higher already.
  }
}

/** The launcher's answer right before it runs the command. Text that follows it is the reason why it can't. */
const STARTING = 'starting';

/**
 * Takes the folder, the command and its arguments; the environment from descriptor 3, as NAME=VALUE entries that each
 * end with NUL, and one more NUL, which is missing if the worker died while writing. Descriptor 3 closes when the
 * command runs (fcntl: F_SETFD, FD_CLOEXEC). Further descriptors, which the worker's parent may have left open, close
 * at once. The account itself enters the folder, so a link there leads only where the account may go. The umask lets
 * the other slots, which are in the same group, change what a job creates in a shared folder.
 */
const LAUNCHER = `
opendir my $descriptors, '/proc/self/fd' or exit 126;
for (grep { $_ > 3 && $_ != fileno $descriptors } readdir $descriptors) { open my $other, '<&=', $_; close $other }
open my $worker, '+<&=', 3 or exit 126;
fcntl $worker, 2, 1 or exit 126;
my $environment = do { local $/; <$worker> } // '';
$environment =~ s/(\\A|\\0)\\0\\z/$1/ or exit 126;
%ENV = map { split /=/, $_, 2 } split /\\0/, $environment;
umask 0002;
setpriority 0, 0, ${NICE};
if (open my $score, '>', '/proc/self/oom_score_adj') { print $score '${OOM_SCORE_ADJ}'; close $score }
my $folder = shift;
syswrite $worker, '${STARTING}';
if (chdir $folder) { exec { $ARGV[0] } @ARGV; syswrite $worker, "$!" }
else { syswrite $worker, "the folder can't be entered: $!" }
exit 127;
`;

/** @throws Error if a value could add further variables */
function serialize(env: Readonly<Record<string, string>>): string {
  const entries = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const unsound = entries.find((entry) => entry.includes('\0'));
  if (unsound !== undefined) throw new Error(`the variable ${unsound.split(/[=\0]/, 1)[0]} contains NUL`);
  return `${entries.map((entry) => `${entry}\0`).join('')}\0`;
}

async function handOver(child: ChildProcess, environment: string): Promise<void> {
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  // It has no pipes either. What failed comes as an event.
  if (child.pid === undefined) await once(child, 'spawn');
  const launcher = child.stdio[3] as Duplex;
  // A launcher that has ended answers nothing. The code below handles that.
  launcher.on('error', () => undefined);
  let answer = '';
  launcher.setEncoding('utf8').on('data', (text: string) => (answer += text));
  const closed = new Promise((resolve) => launcher.once('close', resolve));
  await once(child, 'spawn');
  launcher.end(environment);
  await closed;
  if (answer === STARTING) return;
  if (answer.startsWith(STARTING)) throw new Error(answer.slice(STARTING.length));
  const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
  throw new Error(`it ended ${signal === null ? `with exit code ${code}` : `by ${signal}`} before the command ran`);
}
