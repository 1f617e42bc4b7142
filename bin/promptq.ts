#!/usr/bin/env node
import type { Context } from '../lib/cli/base/context.ts';
import { EXIT_OF_SIGNAL, type StopSignal } from '../lib/cli/base/exit-codes.ts';
import { Terminal } from '../lib/cli/base/terminal.ts';
import { COMMANDS } from '../lib/cli/command-table.ts';
import { main } from '../lib/cli/main.ts';
import packageJson from '../package.json' with { type: 'json' };

/** `promptq`: runs jobs on a Promptq service. */
const { stdin, stdout, stderr } = process;
/** Exit code of a program whose reader has left, as of SIGPIPE. */
const BROKEN_PIPE = 141;
for (const stream of [stdout, stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A write to a closed terminal can fail before the signal arrives. What the signal does needs no terminal.
    if (code === 'EIO' && stream.isTTY && process.listenerCount('SIGHUP') > 0) process.emit('SIGHUP', 'SIGHUP');
    else process.exit(code === 'EPIPE' ? BROKEN_PIPE : 1);
  });

const STOP_SIGNALS = Object.keys(EXIT_OF_SIGNAL) as StopSignal[];
const ignore = () => undefined;
/** `timeout` sends SIGTERM twice, and the shell of a closed terminal repeats its SIGHUP. */
const ignoreRepeated = () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.off(signal, ignore).on(signal, ignore);
};

const context: Context = {
  env: process.env,
  version: packageJson.version,
  commands: COMMANDS,
  stdin,
  terminal: new Terminal(stdout, stderr),
  onInterrupt(handler) {
    process.on('SIGINT', handler);
    return () => process.off('SIGINT', handler);
  },
  onStop(handler) {
    const stop = (signal: NodeJS.Signals) => {
      ignoreRepeated();
      handler(signal as StopSignal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    return () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    };
  },
};

const exitCode = await main(context, process.argv.slice(2));
// Connections that are kept alive must not delay the end; what was written must arrive.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
