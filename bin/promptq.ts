#!/usr/bin/env node
import type { Context } from '../lib/cli/base/context.ts';
import { EXIT, STOP_SIGNALS, type StopSignal } from '../lib/cli/base/exit-codes.ts';
import { Terminal } from '../lib/cli/base/terminal.ts';
import { COMMANDS } from '../lib/cli/command-table.ts';
import { main } from '../lib/cli/main.ts';
import packageJson from '../package.json' with { type: 'json' };

/** `promptq`: runs jobs on a Promptq service. */
const { stdin, stdout, stderr } = process;
/** What a command does when the reader of its output has left: it ends at once, unless it has to stop first. */
const exitWithoutReader = () => process.exit(EXIT.unread);
let onReaderLeft: () => void = exitWithoutReader;
for (const stream of [stdout, stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A write to a closed terminal can fail before the signal arrives. What the signal does needs no terminal.
    if (code === 'EIO' && stream.isTTY && process.listenerCount('SIGHUP') > 0) process.emit('SIGHUP', 'SIGHUP');
    else if (code === 'EPIPE') onReaderLeft();
    else process.exit(1);
  });

const ignore = () => undefined;
/**
 * `timeout` sends SIGTERM twice, the shell of a closed terminal repeats its SIGHUP, and Ctrl-C also ends the reader of a
 * pipe.
 */
const ignoreRepeated = () => {
  onReaderLeft = ignore;
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
    const stop = (signal: StopSignal) => {
      ignoreRepeated();
      handler(signal);
    };
    const stopUnread = () => stop('SIGPIPE');
    if (onReaderLeft !== ignore) onReaderLeft = stopUnread;
    // Without SIGPIPE, which a lost connection raises too where it has a handler.
    for (const signal of STOP_SIGNALS) process.on(signal, stop);
    return () => {
      if (onReaderLeft === stopUnread) onReaderLeft = exitWithoutReader;
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    };
  },
};

const exitCode = await main(context, process.argv.slice(2));
// Connections that are kept alive must not delay the end; what was written must arrive.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
