import { errorSentence } from '../../client/error-sentence.ts';
import { RequestError, UnreachableError } from '../../client/errors.ts';
import { EXIT } from './exit-codes.ts';

/** Ends the command with an exit code and a message. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

type Env = Readonly<Record<string, string | undefined>>;

/** The exit code and message of whatever ended a command. */
export function explain(error: unknown, env: Env): { readonly exitCode: number; readonly message: string } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof UnreachableError) return { exitCode: EXIT.unreachable, message: errorSentence(error) };
  if (error instanceof RequestError) return { exitCode: exitCodeOf(error.status), message: sentence(error, env) };
  return { exitCode: EXIT.internal, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function exitCodeOf(status: number): number {
  if (status === 404) return EXIT.notFound;
  return status === 401 || status === 403 ? EXIT.notAllowed : EXIT.usage;
}

function sentence(error: RequestError, { PROMPTQ_TOKEN: token }: Env): string {
  if (error.status !== 401) return errorSentence(error);
  return `${errorSentence(error)}${token ? ' of PROMPTQ_TOKEN' : '; `promptq login` saves another one'}`;
}
