import type { CommandRun, CommandSpec } from '../base/context.ts';
import { EXIT } from '../base/exit-codes.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export const run: CommandRun = async ({ commands, terminal }, [shell = 'bash']) => {
  await terminal.print(SCRIPTS[shell as Shell](commands));
  return EXIT.succeeded;
};

const SCRIPTS: Readonly<Record<Shell, (commands: readonly CommandSpec[]) => string>> = {
  bash: bashScript,
  // Zsh runs completions of bash.
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

function bashScript(commands: readonly CommandSpec[]): string {
  const cases = commands.map(({ name, args = [], options = [], names }) => {
    const named = (names?.after ?? []).map((word) => `    ${name}:${word}) words="$(${ask(names)})" ;;`);
    const words = [...args.flatMap(([, , choices = []]) => choices), ...options.flatMap(({ flags }) => flagsOf(flags))];
    const values = options
      .filter(({ choices }) => choices !== undefined)
      .map(({ flags, choices = [] }) => `    ${name}:${flagsOf(flags).at(-1)}) words='${choices.join(' ')}' ;;`);
    return [...named, ...values, `    ${name}:*) words='${words.join(' ')}' ;;`].join('\n');
  });
  return `_promptq() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then words='${commands.map(({ name }) => name).join(' ')} help'
  else case "\${COMP_WORDS[1]}:\${COMP_WORDS[COMP_CWORD-1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _promptq promptq`;
}

function fishScript(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap(({ name, about, args = [], options = [], names }) => [
    `complete -c promptq -n __fish_use_subcommand -f -a ${name} -d ${fishQuoted(about)}`,
    ...args
      .filter(([, , choices]) => choices !== undefined)
      .map(
        ([, text, choices = []]) =>
          `complete -c promptq -n '__fish_seen_subcommand_from ${name}' -f -a ${fishQuoted(choices.join(' '))} -d ${fishQuoted(text)}`,
      ),
    ...(names?.after ?? []).map((word) => {
      const condition = `__fish_seen_subcommand_from ${name}; and contains -- ${word} (commandline -opc)[-1]`;
      return `complete -c promptq -n '${condition}' -f -a '(${ask(names)})'`;
    }),
    ...options.map(({ flags, about: text, choices }) => {
      const parts = flagsOf(flags).map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const values = choices === undefined ? '' : ` -x -a ${fishQuoted(choices.join(' '))}`;
      const condition = `'__fish_seen_subcommand_from ${name}'`;
      return `complete -c promptq -n ${condition} ${parts.join(' ')}${values} -d ${fishQuoted(text)}`;
    }),
  ]);
  return lines.join('\n');
}

/** What a shell runs for the names. */
function ask(names: CommandSpec['names']): string {
  return `promptq ${names?.from} 2>/dev/null`;
}

/** `-f, --file <file>` has the flags `-f` and `--file`. */
function flagsOf(flags: string): string[] {
  return flags.match(/(?<=^|[ ,])--?[a-z0-9-]+/g) ?? [];
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
