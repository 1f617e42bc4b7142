import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Failure, TestRun } from './test-lane.ts';

const LANE = fileURLToPath(new URL('test-lane.ts', import.meta.url));

/** A run that takes longer (seconds, and seconds a file) counts as endless if it ends without the mutant. */
const ENDLESS = { quick: { run: 60, file: 5 }, slow: { run: 0, file: 150 } } as const;

/** Runs after which the process is replaced, so that it doesn't grow. */
const MOST_RUNS = 200;

export const NO_END = 'it never ends';

/** A separate process that runs tests in a folder, because with a mutant they may never end. */
export class TestProcess {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #runs = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the first failure; undefined: all tests passed. */
  async run(run: TestRun): Promise<Failure | undefined> {
    if (this.#runs % MOST_RUNS === 0) this.end();
    this.#runs += 1;
    this.#child ??= await this.#start();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<Failure | undefined>();
    const { run: base, file } = ENDLESS[run.isQuick ? 'quick' : 'slow'];
    const late = setTimeout(() => resolve({ why: NO_END }), 1000 * (base + file * run.files.length));
    const onMessage = ({ failed }: { readonly failed?: Failure }) => resolve(failed);
    const onExit = () => resolve({ why: 'the process of the tests ended' });
    child.once('message', onMessage).once('exit', onExit);
    child.send(run);
    const failed = await promise;
    clearTimeout(late);
    child.off('message', onMessage).off('exit', onExit);
    if (failed !== undefined && failed.file === undefined) this.end();
    return failed;
  }

  /** Its workers and emulators too. */
  readonly end = (): void => {
    process.off('exit', this.end);
    const { pid, exitCode } = this.#child ?? {};
    this.#child = undefined;
    if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
  };

  async #start(): Promise<ChildProcess> {
    const child = fork(LANE, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'ignore', 'ipc'], detached: true });
    process.once('exit', this.end);
    await once(child, 'message');
    return child;
  }
}
