import { quoted } from '../contract/input/legible.ts';
import { type RequestError, UnreachableError } from './errors.ts';

/** Errors whose word alone says too little. */
const MEANINGS: Readonly<Record<string, string>> = {
  job_not_found: 'job_not_found: no job has this id',
  not_found: 'not_found: the service has nothing at this path',
};

/** What went wrong with a request, in one line for a person or an agent. */
export function errorSentence(error: RequestError | UnreachableError): string {
  if (error instanceof UnreachableError) return `can't reach the service: ${error.message}`;
  const { status, body } = error;
  if (status === 401) return 'the service does not accept the token';
  const { required_scope: scope, ...details } = body.details ?? {};
  if (status === 403 && typeof scope === 'string') return `the token lacks the scope ${scope}`;
  const more = Object.keys(details).length === 0 ? '' : ` ${quoted(details)}`;
  const what = MEANINGS[body.error] ?? body.error;
  return `${what}${more}${body.request_id === undefined ? '' : ` (request ${body.request_id})`}`;
}
