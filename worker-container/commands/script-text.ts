import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** A script as the interpreters here read it: what was written on Windows has other line ends and a mark before it. */
export function scriptText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
}

/** What a script's first line asks for, as the kernel reads it: a program, and the rest of the line as one argument. */
interface Interpreter {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * The interpreter that a script names.
 * @param path the PATH in which `env` looks
 * @returns undefined: it names none
 * @throws Error with a plain message if it can't be executed
 */
export async function interpreterOf(script: string, path: string): Promise<Interpreter | undefined> {
  const [line = ''] = script.split('\n', 1);
  if (!line.startsWith('#!')) return undefined;
  const [, command = '', argument = ''] = /^#!\s*(\S*)\s*(.*?)\s*$/.exec(line) ?? [];
  const refused = (why: string) =>
    new Error(`the first line of the script, ${JSON.stringify(line.slice(0, 200))}, ${why}`);
  if (!isAbsolute(command)) throw refused('names no program by an absolute path');
  if (!(await isExecutable(command))) throw refused(`names ${command}, which is no program here`);
  const [program = ''] = argument.replace(/^-S\s*/, '').split(/\s/, 1);
  if (command.endsWith('/env') && /^[\w.+-]+$/.test(program) && !program.startsWith('-')) {
    const places = path.split(delimiter).filter(isAbsolute);
    const found = await Promise.all(places.map((folder) => isExecutable(join(folder, program))));
    if (!found.includes(true)) throw refused(`names ${program}, which is in no folder of ${path}`);
  }
  return { command, args: argument === '' ? [] : [argument] };
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
