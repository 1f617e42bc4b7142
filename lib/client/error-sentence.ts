import { quoted } from '../contract/input/legible.ts';
import { type RequestError, UnreachableError } from './errors.ts';

/** Errors whose word alone says too little. */
const MEANINGS: Readonly<Record<string, string>> = {
  job_not_found: 'job_not_found: no job has this id',
  not_found: 'not_found: the service has nothing at this path',
  output_deleted: 'output_deleted: an administrator had the output of this job deleted',
};

/** What went wrong with a request, in one line for a person or an agent. */
export function errorSentence(error: RequestError | UnreachableError): string {
  if (error instanceof UnreachableError) return `can't reach the service: ${error.message}`;
  const { status, body } = error;
  if (status === 401) return 'the service does not accept the token';
  const { required_scope: scope, ...details } = body.details ?? {};
  if (status === 403 && typeof scope === 'string') return `the token lacks the scope ${scope}`;
  const what = placeless(MEANINGS[body.error] ?? body.error).replace(FURTHER, '');
  // A sentence says what the details say, but for further faults.
  const isSentence = body.error.includes(' ');
  const { faults } = details;
  const more = Array.isArray(faults) ? furtherFaults(faults, Number(FURTHER.exec(body.error)?.[1] ?? 0)) : '';
  const rest = isSentence || Object.keys(details).length === 0 ? more : ` ${quoted(details)}`;
  // The log of the service has the cause of a failure under this id.
  const id = status >= 500 && body.request_id !== undefined ? ` (request ${body.request_id})` : '';
  return `${what}${rest}${id}`;
}

/** How the API says after the first fault how many further ones there are. */
const FURTHER = / \(and (\d+) more: details\.faults\)$/;

/** @param faults the first ones @param further how many there are behind the first */
function furtherFaults(faults: readonly unknown[], further: number): string {
  const listed = faults.slice(1).map((fault) => `; ${placeless(String(fault))}`);
  const left = further - listed.length;
  return `${listed.join('')}${left > 0 ? `; and ${left} more` : ''}`;
}

/** Without the place of a field in a request, which only a program that makes it knows. */
function placeless(sentence: string): string {
  return sentence.replace(/^body\.(?=\w)/, '');
}
