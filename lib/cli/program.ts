import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { CommandSpec, Context } from './base/context.ts';
import { EXIT_MEANINGS } from './base/exit-codes.ts';
import type { OptionSpec } from './base/option.ts';

/** Runs a command that was given on the command line. */
type Dispatch = (spec: CommandSpec, args: readonly string[], options: object) => Promise<void>;

const EXAMPLES = `Examples:
  promptq dev                         run the service on this machine
  promptq run "Say hello" --follow    run a job, and print what its agent does
  promptq list --status FAILED        list the jobs that failed`;
const CREDENTIALS = 'PROMPTQ_URL and PROMPTQ_TOKEN take precedence over `promptq login`.';

/** The parser of the command line. It throws instead of exiting. */
export function createProgram(
  { version, commands }: Pick<Context, 'version' | 'commands'>,
  dispatch: Dispatch,
): Command {
  const program = new Command('promptq')
    .description('Runs jobs on a Promptq service.')
    .version(version)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: (text, write) => write(explained(text)) })
    .addHelpText('after', `\n${EXAMPLES}\n\n${exitCodeHelp()}\n\n${CREDENTIALS}`);
  for (const spec of commands) {
    const command = program.command(spec.name).description(spec.about);
    for (const [name, about, choices] of spec.args ?? []) {
      const argument = new Argument(name, about);
      command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
    }
    for (const option of spec.options ?? []) command.addOption(optionOf(option));
    // Commander passes the arguments in order, then the options, then the command.
    command.action(async (...given: unknown[]) => {
      const args = given.slice(0, -2).flat() as (string | undefined)[];
      await dispatch(spec, args as string[], given.at(-2) as object);
    });
  }
  return program;
}

/** An error of the parser, as all other errors begin. */
function explained(text: string): string {
  const own = text.replace(/^error: /, 'promptq: ');
  const [, command] = /too many arguments for '(say|answer|edit)'/.exec(own) ?? [];
  if (command === undefined) return own;
  return `${own.trimEnd()} Put a text of several words in quotes: promptq ${command} ID "Say hello"\n`;
}

function optionOf({ flags, about, choices, isList, isNumber, least, conflicts }: OptionSpec): Option {
  const option = new Option(flags, about);
  if (choices !== undefined) option.choices([...choices]).argParser((value: string) => choiceOf(value, choices));
  if (isNumber) option.argParser((value: string) => numberOf(value, least));
  if (isList) option.argParser((value: string, earlier: readonly string[] = []) => [...earlier, value]);
  return conflicts === undefined ? option : option.conflicts([...conflicts]);
}

/** @returns the choice that a value names, in any case */
function choiceOf(value: string, choices: readonly string[]): string {
  const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return found;
}

function numberOf(value: string, least = Number.NEGATIVE_INFINITY): number {
  if (!/^-?\d{1,15}(\.\d+)?$/.test(value)) throw new InvalidArgumentError('expected a number');
  if (Number(value) < least) throw new InvalidArgumentError(`expected a number of at least ${least}`);
  return Number(value);
}

function exitCodeHelp(): string {
  return ['Exit codes:', ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`)].join(
    '\n',
  );
}
