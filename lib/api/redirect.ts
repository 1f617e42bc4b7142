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
