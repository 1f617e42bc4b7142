import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { ServiceAccount } from './service-account.ts';

export interface StartOptions extends Pick<SpawnOptions, 'detached'> {
  readonly cwd: string;
  /** All that the process gets. */
  readonly env: Readonly<Record<string, string>>;
  /** stdin, stdout and stderr. */
  readonly stdio: ('ignore' | 'pipe' | number)[];
}

export interface StartedProcess {
  readonly child: ChildProcess;
  /** Resolves when the process runs the command, with its environment; rejects with a plain message if it can't. */
  readonly started: Promise<void>;
}

/**
 * Starts a command, under an account if there is one. Everything that runs for a job is started here.
 *
 * Its environment is a client's, so no process with the worker's rights may have it: the dynamic loader alone would load
 * what it names. setpriv and perl start with an empty environment. When no right is left, perl reads the command's
 * environment from a socket, which keeps it out of arguments and files, and replaces itself by the command.
 */
export function startUnder(
  account: ServiceAccount | undefined,
  command: string,
  args: readonly string[],
  options: StartOptions,
): StartedProcess {
  if (account === undefined) {
    const child = spawn(command, args, options);
    return { child, started: once(child, 'spawn').then(() => undefined) };
  }
  const { cwd, env, stdio } = options;
  const environment = serialize(env);
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`];
  const launch = [...identity, ...DROPPED, '--', PERL, '-e', LAUNCHER, '--', cwd, command, ...args];
  const child = spawn(SETPRIV, launch, { ...options, cwd: '/', env: {}, stdio: [...stdio.slice(0, 3), 'pipe'] });
  return { child, started: handOver(child, environment) };
}

/** By absolute paths: a PATH is the profile's to set. */
const [SETPRIV, PERL] = ['/usr/bin/setpriv', '/usr/bin/perl'];
/** Nothing that a program could win back: no group, no capability, nothing by a set-user-ID file. */
const DROPPED = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];

/** What the launcher answers right before it runs the command. A message after it is the reason why it can't. */
const STARTING = 'starting';

/**
 * Gets the folder, the command and its arguments; the environment from descriptor 3, as NAME=VALUE entries that each end
 * with NUL, and one more NUL, without which the worker has died while it wrote. Descriptor 3 closes when the command runs
 * (fcntl: F_SETFD, FD_CLOEXEC), and further ones, which the worker's own parent may have left open, at once. The account
 * itself enters the folder, so a link there leads no further than the account may go. The umask lets the other slots, which
 * are of the same group, change what a job makes in a folder that they share.
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
my $folder = shift;
syswrite $worker, '${STARTING}';
if (chdir $folder) { exec { $ARGV[0] } @ARGV; syswrite $worker, "$!" }
else { syswrite $worker, "the folder can't be entered: $!" }
exit 127;
`;

/** @throws Error where a value could add variables of its own */
function serialize(env: Readonly<Record<string, string>>): string {
  const entries = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const unsound = entries.find((entry) => entry.includes('\0'));
  if (unsound !== undefined) throw new Error(`the variable ${unsound.split(/[=\0]/, 1)[0]} contains NUL`);
  return `${entries.map((entry) => `${entry}\0`).join('')}\0`;
}

async function handOver(child: ChildProcess, environment: string): Promise<void> {
  const ended = once(child, 'exit');
  ended.catch(() => undefined);
  const launcher = child.stdio[3] as Duplex;
  // A launcher that has ended answers nothing, which is judged below.
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
