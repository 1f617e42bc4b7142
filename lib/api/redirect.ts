import type { Readable } from 'node:stream';
import type { OutputAnswer } from '../jobs/output/reading/read-output.ts';

/** Answers with the content, or with a redirect to it. */
export function redirectOr(
  answer: OutputAnswer,
): { status: 200; body: Readable } | { status: 303; headers: { location: string } } {
  return 'location' in answer
    ? { status: 303, headers: { location: answer.location } }
    : { status: 200, body: answer.body };
}

/** Headers of a file that a job wrote: no browser displays it, or guesses what it is. */
export function asDownload(disposition: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/octet-stream',
    'content-disposition': disposition,
    'content-security-policy': "default-src 'none'; sandbox",
  };
}
