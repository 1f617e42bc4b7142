import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Look, Seen } from './mutant-lane.ts';

const LANE = fileURLToPath(new URL('mutant-lane.ts', import.meta.url));

/** Runs after which a process is replaced: the modules of earlier mutants stay in its memory. */
const LOOKS_PER_PROCESS = 40;

/** CPU seconds of a life after which a run counts as endless: about ten times what a life takes. */
const ENDLESS = 0.12;

/** Seconds between two checks of the process. */
const WATCHED_EVERY = 2;

/** Linux counts CPU time in hundredths of a second. */
const TICKS = 100;

/** Worlds that run with a mutated module, in a separate process because mutants may never end. */
export class Worlds {
  #process: ChildProcess | undefined;
  #looks = 0;

  /** @returns what shows the mutant; undefined: nothing did. */
  async look(look: Omit<Look, 'number'>): Promise<string | undefined> {
    if (this.#looks % LOOKS_PER_PROCESS === 0) this.end();
    this.#looks += 1;
    this.#process ??= fork(LANE, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced' });
    const child = this.#process;
    let errors = '';
    const hear = (chunk: Buffer) => {
      errors += chunk.toString();
    };
    child.stderr?.on('data', hear);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    const over = new AbortController();
    endless(child, look.lives * ENDLESS, over.signal).then(
      () => resolve('it never ends'),
      () => undefined,
    );
    const onMessage = ({ violation }: Seen) => resolve(violation);
    const onExit = () => resolve(`it falls over: ${/^\w*Error.*$/m.exec(errors)?.[0] ?? errors.slice(0, 200)}`);
    child.once('message', onMessage).once('exit', onExit);
    child.send({ ...look, number: this.#looks } satisfies Look);
    const seen = await promise;
    over.abort();
    child.off('message', onMessage).off('exit', onExit);
    child.stderr?.off('data', hear);
    if (seen?.startsWith('it ')) this.end();
    return seen;
  }

  /** @throws Error if the same worlds break something with the source as it is: they could not detect a mutant. */
  async expectSound(look: Omit<Look, 'number' | 'source'>): Promise<void> {
    const broken = await this.look({ ...look, source: await readFile(look.path, 'utf8') });
    if (broken !== undefined) throw new Error(`without any mutant: ${broken}`);
  }

  end(): void {
    this.#process?.kill('SIGKILL');
    this.#process = undefined;
  }
}

/**
 * Ends when a process has used so many seconds of CPU from now on, or rejects when the signal aborts. In CPU time:
 * on a busy machine a run may take minutes.
 */
async function endless({ pid }: ChildProcess, most: number, signal: AbortSignal): Promise<void> {
  const begun = await cpuSeconds(pid);
  while ((await cpuSeconds(pid)) - begun < most) await sleep(WATCHED_EVERY * 1000, undefined, { signal });
}

async function cpuSeconds(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold anything but is in parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
