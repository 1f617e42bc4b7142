import { RequestError, UnreachableError } from '../../client/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
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

/** The exit code and message of whatever ended a command. */
export function explain(error: unknown): { readonly exitCode: number; readonly message: string } {
  if (error instanceof CommandError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof UnreachableError)
    return { exitCode: EXIT.unreachable, message: `can't reach the service: ${error.message}` };
  if (error instanceof RequestError) return { exitCode: exitCodeOf(error.status), message: sentence(error) };
  return { exitCode: EXIT.internal, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function exitCodeOf(status: number): number {
  if (status === 404) return EXIT.notFound;
  return status === 401 || status === 403 ? EXIT.notAllowed : EXIT.usage;
}

function sentence({ status, body }: RequestError): string {
  if (status === 401) return 'the service does not accept the token; `promptq login` saves another one';
  const { required_scope: scope, ...details } = body.details ?? {};
  if (status === 403 && typeof scope === 'string') return `the token lacks the scope ${scope}`;
  const more = Object.keys(details).length === 0 ? '' : ` ${quoted(details)}`;
  const what = body.error === 'job_not_found' ? 'job_not_found: no job has this id' : body.error;
  return `${what}${more}${body.request_id === undefined ? '' : ` (request ${body.request_id})`}`;
}
