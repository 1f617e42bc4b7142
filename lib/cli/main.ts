import { CommanderError } from 'commander';
import type { Context } from './base/context.ts';
import { explain } from './base/errors.ts';
import { EXIT } from './base/exit-codes.ts';
import { createProgram } from './program.ts';

/** Runs the command line. @returns the exit code */
export async function main(context: Context, args: readonly string[]): Promise<number> {
  let exitCode: number = EXIT.succeeded;
  const program = createProgram(context, async (spec, given, options) => {
    const { run } = await spec.load();
    exitCode = await run(context, given, options);
  });
  const { terminal } = context;
  const writeOut = (text: string) => void terminal.copy('stdout', text);
  const writeErr = (text: string) => void terminal.copy('stderr', text);
  for (const command of [program, ...program.commands]) command.configureOutput({ writeOut, writeErr });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.succeeded : EXIT.usage;
    const { exitCode: code, message } = explain(error, context.env);
    await terminal.fail(message);
    return code;
  }
}
