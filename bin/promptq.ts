#!/usr/bin/env node
import type { Context } from '../lib/cli/base/context.ts';
import { Terminal } from '../lib/cli/base/terminal.ts';
import { COMMANDS } from '../lib/cli/command-table.ts';
import { main } from '../lib/cli/main.ts';
import packageJson from '../package.json' with { type: 'json' };

/** `promptq`: runs jobs on a Promptq service. */
const { stdin, stdout, stderr } = process;
/** Exit code of a program whose reader has left, as of SIGPIPE. */
const BROKEN_PIPE = 141;
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? BROKEN_PIPE : 1));

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
};

const exitCode = await main(context, process.argv.slice(2));
// Connections that are kept alive must not delay the end; what was written must arrive.
stdout.write('', () => stderr.write('', () => process.exit(exitCode)));
