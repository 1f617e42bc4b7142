import Alert from '@cloudscape-design/components/alert';
import { mayHaveTakenEffect } from '../api/may-have-taken-effect.ts';

/** The words for a write that failed. */
export interface WriteWords {
  /** If the service rejected it: `The rule was not deleted`. */
  readonly rejected: string;
  /** What is unknown otherwise: `the rule was deleted`. */
  readonly done: string;
  /** How to find out, or why the write can be repeated. A sentence. */
  readonly next: string;
}

/** What is known after a failed write. */
export function writeFailure(error: Error, { rejected, done, next }: WriteWords) {
  if (!mayHaveTakenEffect(error)) return { type: 'error', header: rejected, content: error.message } as const;
  return {
    type: 'warning',
    header: `It is unknown whether ${done}`,
    content: `${error.message} ${next}`,
  } as const;
}

/** Shows it in a form or dialog. */
export function WriteFailure({ error, ...words }: WriteWords & { error: Error }) {
  const { type, header, content } = writeFailure(error, words);
  return (
    <Alert type={type} header={header}>
      {content}
    </Alert>
  );
}
