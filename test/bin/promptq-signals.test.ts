import { afterEach, expect, it, vi } from 'vitest';
import type { Context } from '../../lib/cli/base/context.ts';
import type { StopSignal } from '../../lib/cli/base/exit-codes.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { processHere } from './process-here.ts';

let command: (context: Context, args: readonly string[]) => Promise<number>;
vi.mock('../../lib/cli/main.ts', () => ({
  main: async (context: Context, args: readonly string[]) => await command(context, args),
}));

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Runs a command by the program. */
async function promptq(work: (context: Context, here: ReturnType<typeof processHere>) => number | Promise<number>) {
  const here = processHere({ OF: 'env' }, ['list', '--json']);
  const given: unknown[] = [];
  command = async (context, args) => {
    given.push(args, context.env, context.version);
    return await work(context, here);
  };
  await import('../../bin/promptq.ts');
  return { ...here, given };
}

const fault = (code: string) => Object.assign(new Error(code), { code });
const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;
const counts = ({ signals }: Pick<ReturnType<typeof processHere>, 'signals'>) =>
  SIGNALS.map((signal) => signals.listenerCount(signal));

it('runs the command line of the process, and exits with its code once all is written', async () => {
  const { given, exits } = await promptq(() => 7);
  expect(given).toEqual([['list', '--json'], { OF: 'env' }, packageJson.version]);
  expect(exits).toEqual([7]);
});

it.each([
  ['stdout', 'EPIPE', 141],
  ['stderr', 'EPIPE', 141],
  ['stdout', 'EIO', 1],
  ['stdout', 'ENOSPC', 1],
] as const)('a command whose %s fails with %s ends at once with %d', async (stream, code, exitCode) => {
  const { exits } = await promptq((_, here) => {
    here[stream].stream.emit('error', fault(code));
    return 0;
  });
  expect(exits[0]).toBe(exitCode);
});

it.each([
  ['a closed terminal', true, 'EIO', 1, []],
  ['a file', false, 'EIO', 1, [1]],
  ['a terminal that fails otherwise', true, 'ENOSPC', 1, [1]],
  ['a closed terminal whose signal nothing expects', true, 'EIO', 0, [1]],
])('what cannot be written to %s acts as SIGHUP only if it was closed', async (_, isTTY, code, listeners, exits) => {
  let heard = 0;
  const ended = await promptq((context, here) => {
    here.stdout.stream.isTTY = isTTY;
    if (listeners > 0) context.onStop((signal) => void (signal === 'SIGHUP' && heard++));
    here.stdout.stream.emit('error', fault(code));
    return 0;
  });
  expect([heard, ended.exits]).toEqual([exits.length === 0 ? 1 : 0, [...exits, 0]]);
});

it('Ctrl-C does what a command has registered, until it is removed', async () => {
  const heard: string[] = [];
  const { signals } = await promptq((context, here) => {
    const remove = context.onInterrupt(() => void heard.push('first'));
    here.signals.emit('SIGINT');
    remove();
    here.signals.emit('SIGINT');
    return 0;
  });
  expect([heard, counts({ signals })]).toEqual([['first'], [0, 0, 0]]);
});

it.each(SIGNALS)('%s asks a command to end once, and the same again ends nothing but for Ctrl-C', async (name) => {
  const heard: StopSignal[] = [];
  const { exits } = await promptq((context, here) => {
    const remove = context.onStop((signal) => void heard.push(signal));
    expect(counts(here)).toEqual([1, 1, 1]);
    here.signals.emit(name, name);
    remove();
    // Node ends a process at a signal that nothing listens to.
    expect(counts(here)).toEqual([1, 0, 1]);
    for (const repeated of ['SIGHUP', 'SIGTERM']) here.signals.emit(repeated, repeated);
    // Ctrl-C also ends the reader of a pipe.
    here.stdout.stream.emit('error', fault('EPIPE'));
    return 0;
  });
  expect([heard, exits]).toEqual([[name], [0]]);
});

it('signals that are repeated are ignored by one listener each', async () => {
  await promptq((context, here) => {
    for (const handler of [context.onStop(() => undefined), context.onStop(() => undefined)]) {
      here.signals.emit('SIGTERM', 'SIGTERM');
      handler();
    }
    expect(counts(here)).toEqual([1, 0, 1]);
    return 0;
  });
});

it('a reader of the output that leaves asks a command to end, as long as it wants to know', async () => {
  const heard: string[] = [];
  const { exits } = await promptq((context, here) => {
    const leaves = () => here.stdout.stream.emit('error', fault('EPIPE'));
    const removeFirst = context.onStop((signal) => void heard.push(`first ${signal}`));
    const removeSecond = context.onStop((signal) => void heard.push(`second ${signal}`));
    removeFirst();
    leaves();
    expect(here.exits).toEqual([]);
    removeSecond();
    leaves();
    context.onStop((signal) => void heard.push(`third ${signal}`));
    leaves();
    return 0;
  });
  expect([heard, exits]).toEqual([['second SIGPIPE'], [0]]);
  const removed = await promptq((context, here) => {
    context.onStop(() => undefined)();
    here.stdout.stream.emit('error', fault('EPIPE'));
    return 0;
  });
  expect(removed.exits).toEqual([141, 0]);
});
