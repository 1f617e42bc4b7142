import { EventEmitter } from 'node:events';
import { vi } from 'vitest';

/** A stream that a program writes to. */
function writtenTo() {
  let text = '';
  const stream = Object.assign(new EventEmitter(), {
    isTTY: false,
    write(part: string, done?: () => void) {
      text += part;
      done?.();
      return true;
    },
  });
  return { stream, text: () => text };
}

/** The global process of a program that runs in this one: its signals, its streams and its end are only the program's. */
export function processHere(env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const signals = new EventEmitter();
  const [stdout, stderr] = [writtenTo(), writtenTo()];
  const exits: unknown[] = [];
  const sent: unknown[] = [];
  const members = {
    argv: ['node', 'program', ...args],
    env,
    stdout: stdout.stream,
    stderr: stderr.stream,
    on: (name: string, handler: () => void) => {
      signals.on(name, handler);
      return own;
    },
    once: (name: string, handler: () => void) => signals.once(name, handler),
    off: (name: string, handler: () => void) => {
      signals.off(name, handler);
      return own;
    },
    emit: (name: string, ...given: unknown[]) => signals.emit(name, ...given),
    listenerCount: (name: string) => signals.listenerCount(name),
    send: undefined as ((message: unknown) => void) | undefined,
    exit: (code: unknown) => void exits.push(code),
  };
  const own: NodeJS.Process = Object.create(
    process,
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, { value, writable: true }])),
  );
  vi.stubGlobal('process', own);
  vi.resetModules();
  return { own, signals, stdout, stderr, exits, sent };
}
