import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The slowest case is the AWS CLI waiting for an unreachable endpoint. */
const TIMEOUT_MS = 60_000;

/** A program is missing, or exited with an error. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly isMissing: boolean;

  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

/**
 * Runs a program without a shell.
 * @returns what it wrote to stdout
 * @throws CommandError with the last line that it wrote to stderr
 */
export async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') throw new CommandError(`there is no command \`${program}\``, true);
    throw new CommandError(stderr.trim().split('\n').at(-1) || `\`${program} ${args[0] ?? ''}\` failed`, false);
  }
}

/** Runs the AWS CLI, which operators have, and which finds credentials and region as the CDK does. */
export async function aws(...args: string[]): Promise<unknown> {
  const text = await run('aws', [...args, '--output', 'json']);
  return text.trim() === '' ? null : JSON.parse(text);
}
