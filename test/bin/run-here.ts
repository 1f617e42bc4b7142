import { vi } from 'vitest';

const ENDED = 'the program has ended';

/** Runs a program of `bin` in this process, where its modules can be replaced: a start would cost more than it does. */
export async function runHere(load: () => Promise<unknown>, args: readonly string[]) {
  const { argv, exitCode } = process;
  process.argv = [...argv.slice(0, 2), ...args];
  const exits: unknown[] = [];
  const written = { out: '', err: '' };
  const collects = (stream: 'out' | 'err', end: string) => (text: unknown) => {
    // What follows the first exit would not run.
    if (exits.length === 0) written[stream] += `${text}${end}`;
    return true;
  };
  const out = vi.spyOn(console, 'log').mockImplementation(collects('out', '\n'));
  const err = vi.spyOn(console, 'error').mockImplementation(collects('err', '\n'));
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(collects('err', ''));
  const exit = vi.spyOn(process, 'exit').mockImplementation((code) => {
    exits.push(code);
    throw new Error(ENDED);
  });
  try {
    vi.resetModules();
    await load().catch((error: Error) => {
      if (error.message !== ENDED) throw error;
    });
    return { code: exits[0] ?? process.exitCode ?? 0, stdout: written.out, stderr: written.err };
  } finally {
    process.argv = argv;
    process.exitCode = exitCode;
    for (const spy of [out, err, stderr, exit]) spy.mockRestore();
  }
}
