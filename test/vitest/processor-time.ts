import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

/** Of the kernel's times: Linux has 100 on all architectures. */
const TICKS_PER_SECOND = 100;

/**
 * With `PROMPTQ_TEST_CPU=FILE`, appends a line of JSON for each test file: its path, and the CPU seconds of this process,
 * all processes below it and those that have ended. What a test leaves to another parent is not counted. Linux only.
 */
const { PROMPTQ_TEST_CPU: output } = process.env;
if (output) {
  let before = 0;
  beforeAll(() => {
    before = ticks();
  });
  afterAll(() => {
    const file = expect.getState().testPath;
    appendFileSync(output, `${JSON.stringify({ file, cpuSeconds: (ticks() - before) / TICKS_PER_SECOND })}\n`);
  });
}

function ticks(): number {
  const processes = new Map<number, { parent: number; used: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name);
    // After the name in parentheses: state, parent; then, from the twelfth, the four times.
    if (fields)
      processes.set(Number(name), {
        parent: Number(fields[1]),
        used: fields.slice(11, 15).reduce((total, field) => total + Number(field), 0),
      });
  }
  const isBelow = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const parent = processes.get(pid)?.parent ?? 0;
    return parent > 1 && isBelow(parent);
  };
  return [...processes].reduce((total, [pid, { used }]) => total + (isBelow(pid) ? used : 0), 0);
}

/** The fields of a process after its name; undefined if it has ended. */
function statOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
